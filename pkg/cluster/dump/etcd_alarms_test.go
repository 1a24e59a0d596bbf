package dump_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// TestEtcdAlarms holds that the alarms of a must-gather are told apart, and that a list of them that
// failed is a gap.
func TestEtcdAlarms(t *testing.T) {
	const header = `{"header":{"cluster_id":14841639068965178418,"member_id":10276657743932975437}`
	full, corrupt := cluster.EtcdAlarm{Type: cluster.EtcdNoSpace, Member: "8211f1d0f64f3269"}, cluster.EtcdAlarm{Type: cluster.EtcdCorrupt}
	for name, test := range map[string]struct {
		text string
		want []cluster.EtcdAlarm
		gap  string
	}{
		"none":         {text: header + "}"},
		"no space":     {text: header + `,"alarms":[{"memberID":9372538179322589801,"alarm":1}]}`, want: []cluster.EtcdAlarm{full}},
		"both":         {text: header + `,"alarms":[{"memberID":9372538179322589801,"alarm":1},{"alarm":2}]}`, want: []cluster.EtcdAlarm{full, corrupt}},
		"names":        {text: `{"alarms":[{"alarm":"CORRUPT"}]}`, want: []cluster.EtcdAlarm{corrupt}},
		"other alarms": {text: `{"alarms":[{"memberID":1,"alarm":7},{"memberID":1}]}`},
		"empty":        {gap: "could not be listed when the dump was made"},
		"half written": {text: header + `,"alarms":[{"mem`, gap: "cannot be read"},
		"a text":       {text: "Error from server", gap: "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			source := open(t, map[string]string{
				"must-gather.local.1/a/namespaces/shop/shop.yaml":       "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n",
				"must-gather.local.1/a/etcd_info/alarm_list.json":       test.text,
				"must-gather.local.1/a/namespaces/shop/alarm_list.json": header + `,"alarms":[{"alarm":2}]}`,
			})
			if got := source.EtcdAlarms(); !slices.Equal(got, test.want) {
				t.Errorf("%+v, want %+v", got, test.want)
			}
			if gaps := gapsOf(t, source); strings.Contains(gaps, "etcd_info") != (test.gap != "") || !strings.Contains(gaps, test.gap) {
				t.Errorf("the gaps are\n%s", gaps)
			}
		})
	}
}

// TestEtcdAlarmsOfTwoFolders holds that the folders of a must-gather are one statement if they agree, and none if not.
func TestEtcdAlarmsOfTwoFolders(t *testing.T) {
	const corrupt = `{"alarms":[{"memberID":1,"alarm":2}]}`
	for other, alarms := range map[string]int{corrupt: 1, `{"alarms":[{"memberID":2,"alarm":2}]}`: 0, `{}`: 0} {
		source := open(t, map[string]string{
			"must-gather.local.1/a/namespaces/shop/shop.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n",
			"must-gather.local.1/a/etcd_info/alarm_list.json": corrupt,
			"must-gather.local.1/b/namespaces/shop/shop.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n",
			"must-gather.local.1/b/etcd_info/alarm_list.json": other,
		})
		gaps := gapsOf(t, source)
		if got := source.EtcdAlarms(); len(got) != alarms || strings.Contains(gaps, "the folders of the dump differ in them") != (alarms == 0) {
			t.Errorf("%s: %+v\n%s", other, got, gaps)
		}
	}
}
