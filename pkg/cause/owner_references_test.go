package cause

import (
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Only the owner references that are wrong are removed: those to other owners are valid.
func TestValidOwnerReferencesAreKept(t *testing.T) {
	configMaps := stuck.Type{Version: "v1", Resource: "configmaps", Kind: "ConfigMap", Namespaced: true, Listable: true}
	for name, test := range map[string]struct {
		cause                kit.Cause
		question, dependents string
		want                 string
	}{
		"across namespaces": {
			OwnerReferencesAcrossNamespaces, "scan configmaps",
			`{metadata: {name: monthly, namespace: reports, ownerReferences: [{kind: ConfigMap, name: annual, uid: valid, controller: true}, {kind: ConfigMap, name: tenant, uid: "1", blockOwnerDeletion: true}]}}`,
			`kubectl -n reports patch configmaps monthly --type=json -p '[{"op":"test","path":"/metadata/ownerReferences/1/uid","value":"1"},{"op":"remove","path":"/metadata/ownerReferences/1"}]'`,
		},
		"in a cycle": {
			OwnerReferencesCycle, "scan configmaps in billing",
			`{metadata: {name: unit, namespace: billing, uid: "2", finalizers: [foregroundDeletion], deletionTimestamp: "2026-11-20T07:00:00Z", ownerReferences: [{kind: ConfigMap, name: tenant, uid: "1", blockOwnerDeletion: true}]}},
			{metadata: {name: tenant, namespace: billing, uid: "1", ownerReferences: [{kind: ConfigMap, name: unit, uid: "2", blockOwnerDeletion: true}]}}`,
			`kubectl -n billing patch configmaps tenant --type=json -p '[{"op":"test","path":"/metadata/ownerReferences/1/uid","value":"2"},{"op":"remove","path":"/metadata/ownerReferences/1"}]'`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			owner := stuck.Object{
				Type: configMaps, Namespace: "billing", Name: "tenant", UID: "1", Finalizers: []string{"foregroundDeletion"}, DeletionTime: readTime.Add(-time.Hour),
				Owners: []stuck.OwnerReference{{Kind: "ConfigMap", Name: "lasting", UID: "3", BlockOwnerDeletion: true}, {Kind: "ConfigMap", Name: "unit", UID: "2", BlockOwnerDeletion: true}},
			}
			answers := "- question: " + test.question + "\n  objects: [" + test.dependents + "]\n"
			view := viewOf(t, answers, configMaps)
			findings := test.cause.Find(view, owner)
			if len(findings) != 1 || len(findings[0].Steps) != 1 {
				t.Fatalf("%+v, gaps %v", findings, view.Gaps())
			}
			if got := findings[0].Steps[0].Command; got != test.want {
				t.Errorf("%s\nnot\n%s", got, test.want)
			}
		})
	}
}

var readTime = time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)

// viewOf is a view of a cluster that answers as given.
func viewOf(t *testing.T, answers string, types ...stuck.Type) *cluster.View {
	t.Helper()
	r := recording.Recording{Time: readTime}
	if err := yaml.Unmarshal([]byte(answers), &r.Answers); err != nil {
		t.Fatal(err)
	}
	return cluster.NewView(t.Context(), r.Source(nil), types, nil)
}
