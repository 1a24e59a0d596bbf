package health

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// types collects what the checks measure of each type.
type types struct {
	mu     sync.Mutex
	byName map[string]*stuck.TypeHealth
}

func newTypes(all []listed) *types {
	t := &types{byName: map[string]*stuck.TypeHealth{}}
	for _, l := range all {
		t.note(l.Type, l.note)
	}
	return t
}

// note adds what one check measured of a type.
func (t *types) note(of stuck.Type, measure func(*stuck.TypeHealth)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	name := of.String()
	if t.byName[name] == nil {
		t.byName[name] = &stuck.TypeHealth{Type: name}
	}
	measure(t.byName[name])
}

func (t *types) all() []stuck.TypeHealth {
	var all []stuck.TypeHealth
	for _, each := range t.byName {
		all = append(all, *each)
	}
	slices.SortFunc(all, func(a, b stuck.TypeHealth) int { return cmp.Compare(a.Type, b.Type) })
	return all
}

// seconds is a duration to the millisecond.
func seconds(d time.Duration) stuck.Second {
	return stuck.Second(float64(d.Milliseconds()) / 1000)
}

// typeSubject is a type as the subject of an ailment.
func typeSubject(name string) stuck.Culprit { return stuck.Culprit{Kind: "type", Name: name} }
