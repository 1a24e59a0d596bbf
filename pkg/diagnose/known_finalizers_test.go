package diagnose_test

import (
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// What force costs does not depend on what could be read: for who may read nothing, and finds no cause, it is what the
// catalog knows.
func TestCostIsKnownWithoutACause(t *testing.T) {
	compared := 0
	for _, story := range stories(t) {
		d := diagnoseStory(t, story, source(t, story), func(string) bool { return true })
		for _, name := range d.Unexplained {
			o := d.Object
			match := known(t).Lookup(name, catalog.Subject{Kind: o.Type.Kind, Group: o.Type.Group, Resource: o.Type.Resource})
			if match.OtherType || match.How == catalog.ByConvention || len(match.Entries) == 0 {
				continue
			}
			compared++
			want := stuck.Cost{Leaves: match.Entries[0].Leak, Description: match.Entries[0].LeftBehind}
			if got := d.CostOf([]string{name}); len(got) != 1 || got[0] != want {
				t.Errorf("%s: what force costs of %s is %v, want %v", story.Name, name, got, want)
			}
			if len(d.Known[name].Fix) == 0 || d.Known[name].Description == "" {
				t.Errorf("%s: nothing is said of what to do about %s", story.Name, name)
			}
		}
	}
	if compared < 5 {
		t.Errorf("only %d finalizers were compared", compared)
	}
}
