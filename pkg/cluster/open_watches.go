package cluster

import "github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"

// WatchCount is how many watches are open on a resource.
type WatchCount struct {
	Group    string `json:"group"`
	Resource string `json:"resource"`
	Open     int    `json:"open"`
}

// OpenWatches is how many watches are open on a type, false where that could not
// be read. Of several API servers one has answered, for itself alone.
func (v *View) OpenWatches(t stuck.Type) (int, bool) {
	m, ok := v.Metrics()
	n := 0
	for _, w := range m.Watches {
		if w.Group == t.Group && w.Resource == t.Resource {
			n += w.Open
		}
	}
	return n, ok
}
