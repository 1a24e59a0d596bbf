package crossplane

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// finalizerProviderConfigInUse keeps a ProviderConfig
// (crossplane/crossplane-runtime pkg/reconciler/providerconfig/reconciler.go).
const finalizerProviderConfigInUse = "in-use.crossplane.io"

// ProviderConfigInUse holds a ProviderConfig that managed resources use.
var ProviderConfigInUse = kit.Cause{
	ID:    "crossplane-in-use",
	Title: "Managed resources still use the ProviderConfig",
	Doc: kit.Doc{
		Symptoms: "A ProviderConfig with the finalizer `in-use.crossplane.io` is being deleted. Its `status.users` is above zero, and ProviderConfigUsages name the ProviderConfig.",
		Why:      "Crossplane keeps the ProviderConfig while a managed resource uses it. Without the credentials, the external resource of the managed resource cannot be deleted.",
		Fix:      "Delete the managed resources that the ProviderConfigUsages name, or set another ProviderConfig in them. Crossplane then finishes the deletion of the ProviderConfig.",
		IfForced: "The managed resources lose their credentials and get stuck when they are deleted. Their external resources are left behind, unmanaged and billed.",
	},
	ControllerNext: true,
	Applies:        kit.DeletingWith(finalizerProviderConfigInUse),
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		usages, ok := usagesOf(view, o)
		if !ok {
			return nil
		}
		var users []stuck.Object
		for _, u := range usages {
			if user, ok := userOf(view, o, u); ok && !slices.ContainsFunc(users, func(other stuck.Object) bool { return other.UID == user.UID }) {
				users = append(users, user)
			}
		}
		if len(users) == 0 {
			return nil
		}
		slices.SortFunc(users, stuck.Compare)
		return []stuck.Finding{inUseFinding(o, users)}
	},
}

// usagesOf are the usages of a ProviderConfig: those of its group that name it,
// and its kind where they name any.
func usagesOf(view *cluster.View, o stuck.Object) (out []ProviderConfigUsage, ok bool) {
	for _, t := range view.TypesForKind("ProviderConfigUsage") {
		if t.Group != o.Type.Group {
			continue
		}
		namespace := ""
		if t.Namespaced {
			namespace = o.Namespace
		}
		for _, u := range cluster.ReadList[ProviderConfigUsage](view, t, cluster.Selection{Namespace: namespace}).Items {
			ref := u.ProviderConfigRef
			if ref.Name == o.Name && (ref.Kind == "" || ref.Kind == o.Type.Kind) {
				out = append(out, u)
			}
		}
	}
	return out, len(out) > 0
}

// userOf is the managed resource of a usage, false where it is gone or could
// not be read: a usage may be left behind.
func userOf(view *cluster.View, config stuck.Object, u ProviderConfigUsage) (stuck.Object, bool) {
	t, ok := view.TypeForKind(schema.FromAPIVersionAndKind(u.ResourceRef.APIVersion, u.ResourceRef.Kind).GroupKind())
	if !ok || !isGroupOrSubgroup(t.Group, config.Type.Group) || !kit.IsValidName(u.ResourceRef.Name) {
		return stuck.Object{}, false
	}
	namespace := ""
	if t.Namespaced {
		namespace = u.Namespace
	}
	m := view.Metadata(t, namespace, u.ResourceRef.Name)
	if !m.Found() {
		return stuck.Object{}, false
	}
	return stuck.ObjectOf(t, m.Value.ObjectMeta), true
}

func inUseFinding(o stuck.Object, users []stuck.Object) stuck.Finding {
	deleting, left := kit.SplitByDeleting(users)
	f := stuck.Finding{
		Message:   kit.CountByType(users) + kit.Verb(users, " uses", " use") + " the ProviderConfig",
		BlockedBy: kit.CulpritAmong(users, o),
		Certainty: stuck.Confirmed,
		Explains:  []string{finalizerProviderConfigInUse},
		WaitsFor:  deleting,
		OnForce: stuck.Cost{
			Leaves:      stuck.LeakExternal,
			Description: kit.CountByType(users) + " cannot be deleted without credentials; the external resources are left behind, unmanaged and billed",
		},
	}
	if len(left) == 0 {
		return f
	}
	f.Verdict, f.Evidence = stuck.Blocked, kit.NotDeletedLines(left, "uses the ProviderConfig")
	for _, user := range left[:min(len(left), stuck.MaxUngrouped)] {
		f.Steps = append(f.Steps, stuck.Step{
			Action:      stuck.ActionDelete,
			Description: "delete the managed resource and its external resource, if no other ProviderConfig is to manage it",
			Command:     stuck.Kubectlf(user.Namespace, "delete %s", user.Ref()),
		})
	}
	return f
}
