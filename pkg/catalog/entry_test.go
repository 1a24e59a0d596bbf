package catalog

import (
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// The namespace of a user is not that of what it uses, which may have none.
func TestReleaseKeepsTheNamespaceOfTheUser(t *testing.T) {
	const command = "kubectl -n {namespace} get fields.example.com {user} # of {name}"
	e := Entry{UsedBy: []Usage{{Release: &stuck.Step{Command: command}}}}
	for _, namespace := range []string{"", "farm"} {
		filled := e.Fill(map[string]string{"namespace": namespace, "name": "home"})
		if got, want := filled.UsedBy[0].Release.Command, "kubectl -n {namespace} get fields.example.com {user} # of home"; got != want {
			t.Errorf("of an object in the namespace %q it is %q", namespace, got)
		}
	}
	if e.UsedBy[0].Release.Command != command {
		t.Errorf("the entry itself is changed: %q", e.UsedBy[0].Release.Command)
	}
}
