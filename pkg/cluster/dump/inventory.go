package dump

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// errNotHeld is the error of a question that the dump does not answer.
var errNotHeld = errors.New("not in this dump")

// scope is the objects of a type in a namespace, in all namespaces where that is empty.
type scope struct {
	resource  schema.GroupResource
	namespace string
}

// inventory says of which scopes a dump shows that it holds all objects.
type inventory struct {
	whole map[scope]bool
	// failed are the errors of the lists that failed when the dump was made.
	failed map[scope]string
	// reported are the errors of lists that the dump does not hold, as its namespaces quote them.
	reported map[scope]*cluster.ReportedListError
	// lost are the scopes of which a snapshot lacks files.
	lost map[scope]bool
}

func newInventory() inventory {
	return inventory{whole: map[scope]bool{}, failed: map[scope]string{}, reported: map[scope]*cluster.ReportedListError{}, lost: map[scope]bool{}}
}

// markWhole notes that the dump has all objects of a type in a namespace.
func (i inventory) markWhole(resource schema.GroupResource, namespace string) {
	i.whole[scope{resource, namespace}] = true
}

// check is nil for a scope of which the dump holds all objects.
func (i inventory) check(t stuck.Type, namespace string) error {
	if !t.Namespaced {
		namespace = ""
	}
	resource := t.GVR().GroupResource()
	if i.lost[scope{resource, namespace}] {
		return errNotHeld
	}
	if i.whole[scope{resource, ""}] || i.whole[scope{resource, namespace}] {
		return nil
	}
	for _, s := range []scope{{resource, namespace}, {resource, ""}} {
		if text := i.failed[s]; text != "" {
			return errors.New(text)
		}
	}
	if err := i.reported[scope{resource, namespace}]; err != nil {
		return err
	}
	return errNotHeld
}

// content is what a layout makes of the files of a dump.
type content struct {
	// name is what the dump is, with its article: "a must-gather".
	name string
	// time is when the objects were read, at the latest; zero where the dump does not say.
	time    time.Time
	version string
	// versionError is why a snapshot does not have it.
	versionError string
	// types are those of discovery, none where the dump does not hold it.
	types         []stuck.Type
	discoveryGaps []stuck.Gap
	inventory     inventory
	// place is what a file is a list of, by its path.
	place func(path string) (scope, bool)
	// isSelection reports whether a list may be of some objects only; nil where none is.
	isSelection func(f file) bool
	// answers are those of the API server that our own snapshot holds, and clockSpread and clockSkew what is known of its clock.
	answers                *answers
	clockSpread, clockSkew time.Duration
	// etcdAlarms are those that a must-gather lists.
	etcdAlarms []cluster.EtcdAlarm
}

// typeIndex are the objects of a type, by namespace and name.
type typeIndex []int32

// indexEntries sorts the objects by their types. Of an object that is there twice the newest is kept.
func (s *Source) indexEntries() {
	s.byType = make([]typeIndex, len(s.types))
	for i, e := range s.entries {
		if e.typ >= 0 {
			s.byType[e.typ] = append(s.byType[e.typ], int32(i))
		}
	}
	for t, list := range s.byType {
		slices.SortStableFunc(list, func(a, b int32) int {
			x, y := &s.entries[a], &s.entries[b]
			return cmp.Or(compareEntries(x, y), cmp.Compare(x.created, y.created), cmp.Compare(x.resourceVersion, y.resourceVersion))
		})
		kept := list[:0]
		for i, each := range list {
			if i+1 == len(list) || compareEntries(&s.entries[each], &s.entries[list[i+1]]) != 0 {
				kept = append(kept, each)
			} else if s.entries[each].uid != s.entries[list[i+1]].uid {
				s.noteTwins(&s.entries[each])
			}
		}
		s.byType[t] = kept
	}
}

// maxTwins is how many objects that are there twice are gaps of their own.
const maxTwins = 3

// noteTwins notes that two objects have one name: one was recreated while the dump was made, or the files
// are of two clusters.
func (s *Source) noteTwins(e *entry) {
	if s.twins++; s.twins > maxTwins {
		return
	}
	o := s.object(e)
	s.discoveryGaps = append(s.discoveryGaps, stuck.Gap{Source: "the files of the dump", Error: fmt.Sprintf("two objects are %s, with different uids: they may be of two clusters", o.RefInNamespace())})
}

func compareEntries(a, b *entry) int {
	if c := strings.Compare(a.namespace, b.namespace); c != 0 {
		return c
	}
	return strings.Compare(a.name, b.name)
}

// in are the objects of a namespace, all where that is empty.
func (list typeIndex) in(entries []entry, namespace string) typeIndex {
	if namespace == "" {
		return list
	}
	from := sort.Search(len(list), func(i int) bool { return entries[list[i]].namespace >= namespace })
	to := from + sort.Search(len(list)-from, func(i int) bool { return entries[list[from+i]].namespace > namespace })
	return list[from:to]
}

// find is one object, nil where it does not exist.
func (list typeIndex) find(entries []entry, namespace, name string) *entry {
	wanted := &entry{namespace: namespace, name: name}
	i := sort.Search(len(list), func(i int) bool { return compareEntries(&entries[list[i]], wanted) >= 0 })
	if i == len(list) || compareEntries(&entries[list[i]], wanted) != 0 {
		return nil
	}
	return &entries[list[i]]
}
