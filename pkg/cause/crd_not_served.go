package cause

import (
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// CRDNotServed holds a CustomResourceDefinition by objects that nobody can reach, as no version of the type is served.
var CRDNotServed = kit.Cause{
	ID:    "crd-not-served",
	Title: "No version of a custom type is served, so nobody can reach its objects",
	Doc: kit.Doc{
		Symptoms: "The CustomResourceDefinition waits for its objects (condition `Terminating`, reason `InstanceDeletionInProgress` or `InstanceDeletionCheck`), but `kubectl get` does not know the type. All entries of `spec.versions` have `served: false`.",
		Why:      "The API server deletes the objects of the type and waits until they are deleted. Objects with finalizers remain. The controllers of these finalizers cannot reach the objects, as no version is served.",
		Fix:      "Serve the storage version again, then find out what holds the objects.",
		IfForced: "The objects are left behind in etcd and reappear if the same CustomResourceDefinition is installed again.",
	},
	Applies: kit.DeletingWith(kit.FinalizerCRD),
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		crd := view.CRD(o.Name)
		if !crd.Found() || !waitsForObjects(crd.Value.Status.Conditions) {
			return nil
		}
		versions := crd.Value.Spec.Versions
		i := slices.IndexFunc(versions, func(v cluster.CRDVersion) bool { return v.Storage })
		if i < 0 || slices.ContainsFunc(versions, func(v cluster.CRDVersion) bool { return v.Served }) {
			return nil
		}
		return []stuck.Finding{{
			Message:   fmt.Sprintf("no version of %s is served, so the objects that are left cannot be reached", o.Name),
			BlockedBy: o.Culprit(),
			Certainty: stuck.Likely,
			Verdict:   stuck.Blocked,
			Explains:  []string{kit.FinalizerCRD},
			Evidence: []string{
				"all entries of spec.versions have served: false",
				"the API server reports that objects are left (condition Terminating)",
			},
			Steps: []stuck.Step{
				{
					Action:      stuck.ActionChange,
					Description: fmt.Sprintf("serve %s again, the version in which objects are stored", versions[i].Name),
					Command: stuck.Shellf(`kubectl patch crd %s --type=json -p '[{"op":"test","path":"/spec/versions/%d/name","value":%q},{"op":"replace","path":"/spec/versions/%d/served","value":true}]'`,
						o.Name, i, versions[i].Name, i),
				},
				{Action: stuck.ActionCheck, Description: "then find out what holds the objects", Command: stuck.Shellf("kubectl finalizers explain crd/%s", o.Name)},
			},
			OnForce: stuck.Cost{Leaves: stuck.LeakObjects, Description: o.Name + " are left behind in etcd, where nobody can reach them"},
		}}
	},
}

// waitsForObjects reports whether the API server has deleted the objects of a CustomResourceDefinition and some are left
// (apiextensions-apiserver/pkg/controller/finalizer/crd_finalizer.go).
func waitsForObjects(conditions []cluster.Condition) bool {
	return slices.ContainsFunc(conditions, func(c cluster.Condition) bool {
		return c.Type == "Terminating" && c.Status == "True" && (c.Reason == "InstanceDeletionInProgress" || c.Reason == "InstanceDeletionCheck")
	})
}
