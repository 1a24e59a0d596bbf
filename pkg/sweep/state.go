package sweep

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
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

// State is what the sweeps of one selection in a cluster have left.
type State struct {
	ClusterUID string `json:"clusterUID"`
	// Selection says what the sweeps select.
	Selection string `json:"selection"`
	// Time is when the last of them ended.
	Time time.Time `json:"time"`
	Left []Left    `json:"left"`
}

// Sweeps with different selections leave different objects, so each selection has a document of its own.
const (
	stateKeyPrefix = "left-"
	stateKeySuffix = ".json"
)

// Key is the name of the document of a state.
func (s State) Key() string {
	sum := sha256.Sum256([]byte(s.Selection))
	return fmt.Sprintf("%s%x%s", stateKeyPrefix, sum[:8], stateKeySuffix)
}

// maxSweeps is how far sweeps are counted, whatever a document says.
const maxSweeps = 1_000_000

// Parse reads the document of a state. That of another cluster or selection says nothing about this one.
func (s State) Parse(content []byte) (State, error) {
	var read State
	if err := json.Unmarshal(content, &read); err != nil {
		return s, err
	}
	if read.ClusterUID != s.ClusterUID || read.Selection != s.Selection {
		return s, nil
	}
	for i, left := range read.Left {
		read.Left[i].Sweeps = min(max(left.Sweeps, 0), maxSweeps)
		// A time zone that is read may be one that cannot be written.
		if read.Left[i].Since = left.Since.UTC(); left.Since.UTC().Year() < 1 || left.Since.UTC().Year() > 9999 {
			read.Left[i].Since = time.Time{}
		}
	}
	return read, nil
}

// Encode writes the document of a state in at most so many bytes. It returns how many objects have no room in it, which
// are those that the fewest sweeps have left.
func (s State) Encode(limit int) (content []byte, omitted int, err error) {
	all := slices.SortedStableFunc(slices.Values(s.Left), func(a, b Left) int { return cmp.Compare(b.Sweeps, a.Sweeps) })
	for n := len(all); n >= 0; n = min(n-1, n*limit/len(content)) {
		s.Left = all[:n]
		if content, err = json.MarshalIndent(s, "", " "); err != nil {
			return nil, 0, fmt.Errorf("writing what the sweep has left: %w", err)
		}
		content = append(content, '\n')
		if len(content) <= limit {
			return content, len(all) - n, nil
		}
	}
	return nil, 0, errors.New("writing what the sweep has left: there is no room for it")
}

// MaxStateFile limits the file of a state.
const MaxStateFile = 16 << 20

// ReadState reads the file of a state in a folder. Without a file no sweep has left anything.
func ReadState(folder string, s State) (State, error) {
	path := filepath.Join(folder, s.Key())
	content, err := ownfile.ReadOwn(path, MaxStateFile)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, fmt.Errorf("reading what earlier sweeps have left: %w", err)
	}
	read, err := s.Parse(content)
	if err != nil {
		return s, fmt.Errorf("reading what earlier sweeps have left: %s: %w; delete the file to count from 0", path, err)
	}
	return read, nil
}

// Limits of a ConfigMap: the API server accepts a MiB of values (kubernetes/pkg/apis/core/validation/validation.go,
// ValidateConfigMap).
const (
	maxConfigMap      = 768 << 10
	maxConfigMapState = 512 << 10
)

// ConfigMapValues are the values to set in a ConfigMap to keep a state beside those of other selections, "" for those to
// remove: the oldest, where there is no room for all. It also returns how many objects are not in it.
func (s State) ConfigMapValues(current map[string]string) (set map[string]string, omitted int, err error) {
	var others []State
	size, isState := 0, len(current) == 0
	for key, value := range current {
		if !strings.HasPrefix(key, stateKeyPrefix) || !strings.HasSuffix(key, stateKeySuffix) {
			size += len(value)
			continue
		}
		isState = true
		if key != s.Key() {
			var other State
			_ = json.Unmarshal([]byte(value), &other)         // one that cannot be read is the oldest
			if !s.Time.IsZero() && other.Time.After(s.Time) { // so is one that lies in the future, which nobody has written yet
				other.Time = time.Time{}
			}
			others = append(others, State{Selection: key, Time: other.Time})
		}
	}
	if !isState {
		return nil, 0, errors.New("it holds something else: name a ConfigMap that only sweeps use")
	}
	content, omitted, err := s.Encode(min(maxConfigMapState, maxConfigMap-size))
	if err != nil {
		return nil, 0, err
	}
	set, size = map[string]string{s.Key(): string(content)}, size+len(content)
	slices.SortFunc(others, func(a, b State) int { return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(a.Selection, b.Selection)) })
	for _, other := range others {
		if size += len(current[other.Selection]); size > maxConfigMap {
			set[other.Selection] = ""
		}
	}
	return set, omitted, nil
}

// After is the state after one more sweep, which has left some objects.
func (s State) After(left []stuck.Object, now time.Time) State {
	out := State{ClusterUID: s.ClusterUID, Selection: s.Selection, Time: now, Left: []Left{}}
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
