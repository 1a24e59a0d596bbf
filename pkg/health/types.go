package health

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// typeResults collects what the checks measure of each type.
type typeResults struct {
	mu     sync.Mutex
	byName map[string]*stuck.TypeHealth
}

func newTypes(all []listResult) *typeResults {
	t := &typeResults{byName: map[string]*stuck.TypeHealth{}}
	for _, l := range all {
		t.record(l.Type, l.record)
	}
	return t
}

// record adds what one check measured of a type.
func (t *typeResults) record(of stuck.Type, measure func(*stuck.TypeHealth)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	name := of.String()
	if t.byName[name] == nil {
		t.byName[name] = &stuck.TypeHealth{Type: name}
	}
	measure(t.byName[name])
}

func (t *typeResults) sorted() []stuck.TypeHealth {
	var all []stuck.TypeHealth
	for _, each := range t.byName {
		all = append(all, *each)
	}
	slices.SortFunc(all, func(a, b stuck.TypeHealth) int { return cmp.Compare(a.Type, b.Type) })
	return all
}

// seconds is a duration to the millisecond.
func seconds(d time.Duration) stuck.Seconds {
	return stuck.Seconds(float64(d.Milliseconds()) / 1000)
}

// typeSubject is a type as the subject of a problem.
func typeSubject(name string) stuck.Culprit { return stuck.Culprit{Kind: "type", Name: name} }
