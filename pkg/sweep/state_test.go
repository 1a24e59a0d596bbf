package sweep

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Sweeps are counted in a row, by uid and for one cluster.
func TestState(t *testing.T) {
	folder := t.TempDir()
	old, recent := stuck.Object{Name: "old", UID: "1"}, stuck.Object{Name: "recent", UID: "2"}
	for i, left := range [][]stuck.Object{{old}, {old, recent}, {old}, {old, recent}} {
		state, err := ReadState(folder, "cluster")
		if err != nil {
			t.Fatal(err)
		}
		state = state.After(left, time.Unix(int64(i), 0))
		content, err := json.Marshal(state)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, StateFile), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	state, err := ReadState(folder, "cluster")
	if err != nil || state.SweepsOf(old) != 4 || state.SweepsOf(recent) != 1 || state.Left[0].Since.Unix() != 0 || state.Left[1].Since.Unix() != 3 {
		t.Errorf("%v: %+v", err, state)
	}
	if other, err := ReadState(folder, "another"); err != nil || len(other.Left) != 0 {
		t.Errorf("of another cluster: %v: %+v", err, other)
	}
	if err := os.WriteFile(filepath.Join(folder, StateFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadState(folder, "cluster"); err == nil {
		t.Error("a broken file is taken for none")
	}
}
