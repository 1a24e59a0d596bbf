package dump

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// alarmsFile is where must-gather keeps what "etcdctl alarm list -w json" printed
// (openshift/must-gather, collection-scripts/gather_etcd).
const alarmsFile = "etcd_info/alarm_list.json"

// addEtcdAlarms reads the alarms of etcd in each folder of a must-gather.
func (c *content) addEtcdAlarms(l *loader, d dumpFiles) {
	var all [][]cluster.EtcdAlarm
	for _, name := range slices.Sorted(maps.Keys(l.documents)) {
		if rest, ok := d.within(name); !ok || rest != alarmsFile {
			continue
		}
		alarms, err := parseEtcdAlarms(l.documents[name])
		if err != nil {
			c.discoveryGaps = append(c.discoveryGaps, stuck.Gap{Source: fmt.Sprintf("file %q of the dump", name), Error: err.Error()})
			continue
		}
		if all = append(all, alarms); !slices.Equal(alarms, all[0]) {
			c.discoveryGaps = append(c.discoveryGaps, stuck.Gap{Source: "alarms of etcd", Error: "the folders of the dump differ in them: they may be of other times or clusters"})
			return
		}
	}
	if len(all) > 0 {
		c.etcdAlarms = all[0]
	}
}

func parseEtcdAlarms(text []byte) ([]cluster.EtcdAlarm, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, errors.New("it is empty: the alarms of etcd could not be listed when the dump was made")
	}
	var response struct {
		Alarms []struct {
			MemberID uint64          `json:"memberID"`
			Alarm    json.RawMessage `json:"alarm"` // a number, or its name
		} `json:"alarms"`
	}
	if err := json.Unmarshal(text, &response); err != nil {
		return nil, fmt.Errorf("the alarms of etcd cannot be read: %w", err)
	}
	var alarms []cluster.EtcdAlarm
	for _, each := range response.Alarms {
		var alarm cluster.EtcdAlarm
		switch strings.Trim(string(each.Alarm), `"`) {
		case "1", cluster.EtcdNoSpace:
			alarm.Type = cluster.EtcdNoSpace
		case "2", cluster.EtcdCorrupt:
			alarm.Type = cluster.EtcdCorrupt
		default: // none, or one of which it is not known what it stops
			continue
		}
		if each.MemberID != 0 {
			alarm.Member = strconv.FormatUint(each.MemberID, 16)
		}
		alarms = append(alarms, alarm)
	}
	return alarms, nil
}

// EtcdAlarms are the alarms of etcd that the dump has.
func (s *Source) EtcdAlarms() []cluster.EtcdAlarm { return s.etcdAlarms }
