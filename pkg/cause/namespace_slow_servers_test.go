package cause

import (
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// A slow server explains a delay only as long as the namespace controller may still wait for it: 10 namespaces at a time.
func TestSlowServersExplainADelay(t *testing.T) {
	slow := []slowServer{{types: make([]stuck.Type, 5), took: 3 * time.Second}, {types: make([]stuck.Type, 1), took: 15 * time.Second}}
	for name, test := range map[string]struct {
		slow       []slowServer
		namespaces int
		since      time.Duration
		want       bool
	}{
		"both servers, in one namespace":    {slow, 1, 170 * time.Second, true},
		"too long for one namespace":        {slow, 1, 190 * time.Second, false},
		"of ten namespaces none waits":      {slow, 10, 190 * time.Second, false},
		"the eleventh waits for the others": {slow, 11, 290 * time.Second, true},
		"too long for eleven":               {slow, 11, 310 * time.Second, false},
		"no server":                         {nil, 1, 70 * time.Second, false},
	} {
		if got := explainsDelay(test.slow, test.namespaces, test.since); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
