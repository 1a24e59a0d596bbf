package sweep

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Sweeps are counted in a row, by uid, and for one cluster and selection.
func TestState(t *testing.T) {
	folder := t.TempDir()
	mine := State{ClusterUID: "cluster", Selection: "namespaces -l a=b"}
	old, recent := stuck.Object{Name: "old", UID: "1"}, stuck.Object{Name: "recent", UID: "2"}
	for i, left := range [][]stuck.Object{{old}, {old, recent}, {old}, {old, recent}} {
		for _, blank := range []State{mine, {ClusterUID: "cluster", Selection: "namespaces -l a=c"}} {
			state, err := ReadState(folder, blank)
			if err != nil {
				t.Fatal(err)
			}
			if blank.Selection != mine.Selection {
				left = nil // which counts nothing of the other from 0
			}
			state = state.After(left, time.Unix(int64(i), 0).UTC())
			content, _, err := state.Encode(MaxStateFile)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, state.Key()), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	state, err := ReadState(folder, mine)
	if err != nil || state.SweepsOf(old) != 4 || state.SweepsOf(recent) != 1 || state.Left[0].Since.Unix() != 0 || state.Left[1].Since.Unix() != 3 {
		t.Errorf("%v: %+v", err, state)
	}
	if other, err := ReadState(folder, State{ClusterUID: "another", Selection: mine.Selection}); err != nil || len(other.Left) != 0 {
		t.Errorf("of another cluster: %v: %+v", err, other)
	}
	if err := os.WriteFile(filepath.Join(folder, mine.Key()), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadState(folder, mine); err == nil {
		t.Error("a broken file is taken for none")
	}
}

// What others wrote into a document of a state does not make a sweep hide an object indefinitely.
func TestHostileState(t *testing.T) {
	mine := State{ClusterUID: "cluster", Selection: "namespaces"}
	for content, want := range map[string]int{
		`{"clusterUID":"cluster","selection":"namespaces","left":[{"uid":"1","sweeps":2}]}`:                                     3,
		`{"clusterUID":"cluster","selection":"namespaces","left":[{"uid":"1","sweeps":-9223372036854775808}]}`:                  1,
		`{"clusterUID":"cluster","selection":"namespaces","left":[{"uid":"1","sweeps":9223372036854775807}]}`:                   maxSweeps + 1,
		`{"clusterUID":"cluster","selection":"namespaces","left":[{"uid":"1","sweeps":2},{"uid":"1","sweeps":9}],"other":true}`: 3,
		`{"clusterUID":"other","selection":"namespaces","left":[{"uid":"1","sweeps":2}]}`:                                       1,
		`{"clusterUID":"cluster","selection":"pods","left":[{"uid":"1","sweeps":2}]}`:                                           1,
		`{"clusterUID":"cluster","selection":"namespaces","left":[{"uid":"1","sweeps":2,"since":"2026-01-01T00:00:00+24:00"}]}`: 3,
		`null`: 1,
	} {
		state, err := mine.Parse([]byte(content))
		if err != nil {
			t.Fatalf("%s: %v", content, err)
		}
		o := stuck.Object{UID: "1"}
		if _, _, err := state.After([]stuck.Object{o}, time.Unix(0, 0)).Encode(maxConfigMap); err != nil {
			t.Errorf("%s: what it becomes cannot be written: %v", content, err)
		}
		if got := state.After([]stuck.Object{o}, time.Unix(0, 0)).SweepsOf(o); got != want {
			t.Errorf("%s: %d sweeps", content, got)
		}
	}
	for _, content := range []string{"", "[]", `{"left":[{"sweeps":1e300}]}`, "\x00"} {
		if _, err := mine.Parse([]byte(content)); err == nil {
			t.Errorf("%q is taken for a state", content)
		}
	}
}

// A ConfigMap holds the states of several selections, and never more than the API server accepts.
func TestStateInConfigMap(t *testing.T) {
	mine := State{ClusterUID: "cluster", Selection: "namespaces"}
	for i := range 20_000 {
		mine.Left = append(mine.Left, Left{Object: "namespace/" + strings.Repeat("n", 50), UID: types.UID(fmt.Sprint(i)), Sweeps: i})
	}
	state := func(selection string, size int, at int64) (key, value string) {
		s := State{Selection: selection, Time: time.Unix(at, 0).UTC(), Left: []Left{{Object: strings.Repeat("o", size)}}}
		content, _, err := s.Encode(MaxStateFile)
		if err != nil {
			t.Fatal(err)
		}
		return s.Key(), string(content)
	}
	current := map[string]string{"left-broken.json": strings.Repeat("x", 100_000), "notes": strings.Repeat("x", 10_000)}
	oldKey, oldValue := state("old", 150_000, 1)
	recentKey, recentValue := state("recent", 150_000, 2)
	current[oldKey], current[recentKey] = oldValue, recentValue
	set, omitted, err := mine.ConfigMapValues(current)
	if err != nil || omitted == 0 || omitted == len(mine.Left) || len(set[mine.Key()]) > maxConfigMapState {
		t.Fatalf("%d are omitted, %d bytes: %v", omitted, len(set[mine.Key()]), err)
	}
	_, oldRemoved := set[oldKey]
	_, recentRemoved := set[recentKey]
	_, brokenRemoved := set["left-broken.json"]
	if oldRemoved == recentRemoved || recentRemoved || !brokenRemoved {
		t.Errorf("removed are: the old one: %t, the recent one: %t, the broken one: %t", oldRemoved, recentRemoved, brokenRemoved)
	}
	kept, err := State{ClusterUID: "cluster", Selection: "namespaces"}.Parse([]byte(set[mine.Key()]))
	if err != nil || kept.SweepsOf(stuck.Object{UID: "19999"}) != 19_999 {
		t.Errorf("what was left most often is omitted: %v", err)
	}
	if _, _, err := mine.ConfigMapValues(map[string]string{"Corefile": ".:53"}); err == nil {
		t.Error("it writes into a ConfigMap of something else")
	}
	if _, _, err := mine.ConfigMapValues(map[string]string{mine.Key(): "", "notes": strings.Repeat("x", 1<<20)}); err == nil {
		t.Error("it writes into a ConfigMap that is full")
	}
}

// A state that lies in the future, as a clock once said, does not keep its place against those of today.
func TestStateOfTheFuture(t *testing.T) {
	now := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	mine := State{ClusterUID: "cluster", Selection: "namespaces", Time: now}
	current := map[string]string{}
	keys := map[string]string{}
	for selection, at := range map[string]time.Time{"today": now.Add(-time.Hour), "future": now.AddDate(100, 0, 0)} {
		s := State{Selection: selection, Time: at, Left: []Left{{Object: strings.Repeat("o", 400_000)}}}
		content, _, err := s.Encode(MaxStateFile)
		if err != nil {
			t.Fatal(err)
		}
		keys[selection], current[s.Key()] = s.Key(), string(content)
	}
	set, _, err := mine.ConfigMapValues(current)
	if err != nil {
		t.Fatal(err)
	}
	value, removed := set[keys["future"]]
	if _, today := set[keys["today"]]; today || !removed || value != "" {
		t.Errorf("removed is that of the future: %t, that of today: %t", removed, today)
	}
}
