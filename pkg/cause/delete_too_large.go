package cause

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// DeleteTooLarge keeps the namespace controller from deleting an object that is so large
// that not even its deletionTimestamp can be stored.
var DeleteTooLarge = kit.Cause{
	ID:    "delete-too-large",
	Title: "An object is too large for etcd to store its deletionTimestamp",
	Doc: kit.Doc{
		Symptoms: "The namespace's condition `NamespaceDeletionContentFailure` is True and says `etcdserver: request is too large`. `kubectl delete` of the object fails in the same way, but a dry run of it succeeds. The object has no deletionTimestamp.",
		Why:      "A deletion of an object with finalizers is an update: the API server stores the object with a deletionTimestamp. etcd rejects requests larger than 1.5 MiB by default (`--max-request-bytes`). A controller that lets the status grow, such as a history without a limit, fills the object up to that limit. A dry run does not reach etcd.",
		Fix:      "Make the object smaller: remove the history from its status (`--subresource=status`), large annotations, or data. The namespace controller retries within a minute.",
		IfForced: "The object is left behind in etcd, and its cleanup is skipped.",
	},
	Applies: kit.IsDeletingNamespace,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		ns := view.Namespace(o.Name)
		if !ns.Found() {
			return nil
		}
		failures := apitext.ParseNamespaceConditions(ns.Value.Status.Conditions).ContentFailures
		i := slices.IndexFunc(failures, apitext.IsTooLarge)
		if i < 0 {
			return nil
		}
		content := view.NamespaceContent(o.Name)
		if len(content.NotDeleted) == 0 && content.Complete {
			return nil // the condition is older than that
		}
		f := stuck.Finding{
			Message:   "objects in the namespace are too large to be deleted",
			BlockedBy: o.Culprit(),
			Certainty: stuck.Likely,
			Verdict:   stuck.Blocked,
			Explains:  []string{kit.FinalizerKubernetes},
			Evidence:  []string{"condition NamespaceDeletionContentFailure: " + failures[i]},
			OnForce:   kit.UndeletedCost(content.NotDeleted),
		}
		if large := largeObjectsIn(view, o.Name, content.NotDeleted); len(large) > 0 {
			first := large[0]
			f.Message = fmt.Sprintf("%s is too large to be deleted: etcd cannot store its deletionTimestamp", first.Object.Ref())
			f.BlockedBy = first.Object.Culprit()
			for _, each := range large[:min(len(large), stuck.MaxUngrouped)] {
				f.Evidence = append(f.Evidence, kit.SizeLine(each.Object, each.Bytes))
			}
			f.Steps = kit.ShrinkSteps(first.Object)
		}
		return []stuck.Finding{f}
	},
}

// maxMeasured is how many objects are read whole to find those that are too large.
const maxMeasured = 1000

// largeObjectsIn are the objects of a namespace, of the types that are not deleted, whose
// size is near the limit of etcd.
func largeObjectsIn(view *cluster.View, namespace string, notDeleted map[cluster.TypeName]int) (out []cluster.SizedObject) {
	measured := 0
	for _, name := range slices.SortedFunc(maps.Keys(notDeleted), func(a, b cluster.TypeName) int { return strings.Compare(a.Plural, b.Plural) }) {
		t, served := view.TypeForResource(name.Resource)
		if measured += notDeleted[name]; !served || t.IsSecret() {
			continue
		}
		if measured > maxMeasured {
			view.AddGaps(stuck.Gap{Source: "the sizes of the objects in namespace " + namespace, Error: fmt.Sprintf("more than %d objects; not all were measured", maxMeasured)})
			break
		}
		out = append(out, view.LargeObjects(t, namespace, kit.NearEtcdLimit).Items...)
	}
	slices.SortStableFunc(out, func(a, b cluster.SizedObject) int { return b.Bytes - a.Bytes })
	return out
}
