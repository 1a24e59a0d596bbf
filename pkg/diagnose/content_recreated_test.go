package diagnose_test

import (
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// What was there before the deletion of its namespace was not deleted, and not recreated: a key of etcd that nothing can
// delete looks so, and a server that reports a deletion which it did not perform.
func TestOnlyWhatIsYoungerThanTheDeletionWasRecreated(t *testing.T) {
	deleted := time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)
	listable := widget
	listable.Listable = true
	older, younger := deleted.Add(-time.Hour), deleted.Add(time.Second)
	for name, test := range map[string]struct {
		created []time.Time
		want    string
	}{
		"older":               {[]time.Time{older, older}, ""},
		"younger":             {[]time.Time{younger, younger}, "deleted objects are recreated: 2 widgets.example.com"},
		"one of them younger": {[]time.Time{older, younger}, "deleted objects are recreated: 1 widget.example.com"},
	} {
		scan := recording.Answer{Question: "scan widgets.example.com in shop"}
		for i, created := range test.created {
			scan.Objects = append(scan.Objects, map[string]any{"metadata": map[string]any{
				"namespace": "shop", "name": string(rune('a' + i)), "uid": string(rune('a' + i)), "creationTimestamp": created.Format(time.RFC3339),
			}})
		}
		namespace := recording.Answer{Question: "get namespaces/shop", Objects: []map[string]any{{
			"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "shop", "uid": "shop"},
			"status": map[string]any{"conditions": []any{map[string]any{
				"type": "NamespaceDeletionContentFailure", "status": "True", "reason": "ContentDeletionFailed",
				"message": "Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: shop for gvr: example.com/v1, Resource=widgets",
			}}},
		}}}
		source := (&recording.Recording{Time: deleted.Add(time.Minute), Answers: []recording.Answer{scan, namespace}}).Source(nil)
		view := cluster.NewView(t.Context(), source, []stuck.Type{listable}, nil)
		o := stuck.Object{Type: cluster.NamespaceType, Name: "shop", UID: "shop", DeletionTime: deleted}
		found := cause.NamespaceContentRecreated.Find(view, o)
		if got := messageOf(found); got != test.want {
			t.Errorf("%s: found %q, want %q", name, got, test.want)
		}
	}
}

// messageOf is the message of the only finding, empty where there is none.
func messageOf(findings []stuck.Finding) string {
	if len(findings) != 1 {
		return ""
	}
	return findings[0].Message
}
