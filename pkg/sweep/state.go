package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/ownfile"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Left is an object that sweeps have left, one after the other.
type Left struct {
	Object string    `json:"object"`
	UID    types.UID `json:"uid"`
	Sweeps int       `json:"sweeps"`
	// Since is when the first of these sweeps ended.
	Since time.Time `json:"since"`
}

// State is what the sweeps of a cluster have left.
type State struct {
	ClusterUID string `json:"clusterUID"`
	Left       []Left `json:"left"`
}

// StateFile is the name of the file of a state in its folder.
const StateFile = "left.json"

// maxStateSize limits what is read of it.
const maxStateSize = 16 << 20

// ReadState reads the state in a folder. Without a file, or with that of another cluster, no sweep has left anything.
func ReadState(folder, clusterUID string) (State, error) {
	empty := State{ClusterUID: clusterUID}
	content, err := ownfile.ReadOwn(filepath.Join(folder, StateFile), maxStateSize)
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return empty, fmt.Errorf("reading what earlier sweeps have left: %w", err)
	}
	var state State
	if err := json.Unmarshal(content, &state); err != nil {
		return empty, fmt.Errorf("reading what earlier sweeps have left: %s: %w; delete the file to count from 0", filepath.Join(folder, StateFile), err)
	}
	if state.ClusterUID != clusterUID {
		return empty, nil
	}
	return state, nil
}

// After is the state after one more sweep, which has left some objects.
func (s State) After(left []stuck.Object, now time.Time) State {
	out := State{ClusterUID: s.ClusterUID, Left: []Left{}}
	for _, o := range left {
		entry := Left{Object: o.RefInNamespace(), UID: o.UID, Since: now}
		if i := slices.IndexFunc(s.Left, func(l Left) bool { return l.UID == o.UID }); i >= 0 {
			entry.Sweeps, entry.Since = s.Left[i].Sweeps, s.Left[i].Since
		}
		entry.Sweeps++
		out.Left = append(out.Left, entry)
	}
	return out
}

// SweepsOf is how many sweeps in a row have left an object.
func (s State) SweepsOf(o stuck.Object) int {
	if i := slices.IndexFunc(s.Left, func(l Left) bool { return l.UID == o.UID }); i >= 0 {
		return s.Left[i].Sweeps
	}
	return 0
}
