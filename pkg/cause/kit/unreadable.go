package kit

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// maxKeysShown is how many objects are named of a type that has many unreadable
// ones: the API server stops at a hundred.
const maxKeysShown = 5

// UnreadableFinding is a type that cannot be listed because one of its objects in
// etcd can be neither decoded nor decrypted.
func UnreadableFinding(view *cluster.View, o stuck.Object, t stuck.Type, u apitext.Unreadable) stuck.Finding {
	verb := "decoded"
	if u.Encrypted {
		verb = "decrypted"
	}
	f := stuck.Finding{
		Message:   fmt.Sprintf("%s cannot be listed: one of them cannot be %s", t, verb),
		BlockedBy: stuck.Culprit{Kind: t.Kind},
		Certainty: stuck.Confirmed,
		Verdict:   stuck.Blocked,
		Explains:  []string{FinalizerKubernetes, FinalizerCRD},
		Evidence: []string{
			"the API server says: " + u.Message,
			fmt.Sprintf("while this is so, nobody can list %s with it or delete any, and other namespaces can get stuck on it too", t),
		},
		Steps: repairUnreadableSteps(t, u),
		OnForce: stuck.Cost{
			Leaves:      stuck.LeakUnknown,
			Description: fmt.Sprintf("%s that nobody could list, and whatever they stand for", t),
		},
	}
	if len(u.Keys) > 0 {
		namespace, name := apitext.ParseEtcdKey(t, u.Keys[0])
		f.BlockedBy = stuck.Culprit{Kind: t.Kind, Namespace: namespace, Name: name}
		f.Message = fmt.Sprintf("%s/%s%s cannot be %s", t.Singular(), name, otherNamespaceClause(o, namespace), verb)
	}
	if more := len(u.Keys) - 1; more > 0 {
		f.Message += fmt.Sprintf(", nor can %d other %s", more, t)
	}
	for _, key := range u.Keys[:min(len(u.Keys), maxKeysShown)] {
		f.Evidence = append(f.Evidence, "it lies in etcd as "+key)
	}
	if len(u.Keys) > maxKeysShown {
		f.Evidence = append(f.Evidence, fmt.Sprintf("and %d more", len(u.Keys)-maxKeysShown))
	}
	if len(u.Keys) == 0 {
		addUnreadableNames(view, o, &f, t, verb)
	}
	if o.IsNamespace() && ReportsNoContentLeft(view, o.Name) {
		f.Evidence = append(f.Evidence, `its conditions say "All content successfully removed", which counts for nothing while a type cannot be listed`)
	}
	if minor, ok := view.MinorVersion(); ok && len(u.Keys) > 0 {
		f.Steps = append(f.Steps, deleteUnreadableSteps(t, u.Keys[0], minor)...)
	}
	return f
}

// otherNamespaceClause says in which other namespace something is.
func otherNamespaceClause(o stuck.Object, namespace string) string {
	if namespace == "" || o.IsNamespace() && o.Name == namespace {
		return ""
	}
	return " -n " + namespace
}

// repairUnreadableSteps are the steps that make an object readable again.
func repairUnreadableSteps(t stuck.Type, u apitext.Unreadable) []stuck.Step {
	if u.Encrypted {
		return []stuck.Step{
			{
				Action:      stuck.ActionCheck,
				Description: "give kube-apiserver the key back that it was encrypted with: find its encryption configuration (where the control plane is hosted, look for a KMS key that was disabled or deleted)",
				Command:     "kubectl -n kube-system get pods -l component=kube-apiserver -o yaml | grep encryption-provider-config",
			},
		}
	}
	if len(u.Keys) == 0 {
		return []stuck.Step{{
			Action:      stuck.ActionChange,
			Description: "see which objects of the type there are, and get each by its name: kube-apiserver does not say which it cannot read",
			Command:     stuck.Shellf("etcdctl get --prefix --keys-only /registry/ | grep /%s/", t.Resource),
		}}
	}
	_, name := apitext.ParseEtcdKey(t, u.Keys[0])
	return []stuck.Step{{
		Action:      stuck.ActionChange,
		Description: "if newer software wrote it, run that version again; if it is damaged, restore it from a backup of etcd. Save first what is there",
		Command:     stuck.Shellf("etcdctl get --print-value-only %s > %s.bin", u.Keys[0], name),
	}}
}

// The minor versions that can delete an object unread, and that can unless told
// otherwise (KEP-3926, AllowUnsafeMalformedObjectDeletion).
const (
	unreadDeletionSince   = 32
	unreadDeletionDefault = 37
)

// deleteUnreadableSteps are the last steps of all. kubectl 1.37 has no flag for it, and
// the API server takes the option for one object at a time.
func deleteUnreadableSteps(t stuck.Type, key string, minor int) []stuck.Step {
	if minor < unreadDeletionSince {
		return nil
	}
	namespace, name := apitext.ParseEtcdKey(t, key)
	path := t.Path(namespace, name) + "?ignoreStoreReadErrorWithClusterBreakingPotential=true"
	gate := "it needs the right unsafe-delete-ignore-read-errors"
	if minor < unreadDeletionDefault {
		gate += " and kube-apiserver's feature gate AllowUnsafeMalformedObjectDeletion"
	}
	return []stuck.Step{
		{Action: stuck.ActionDelete, Description: "last of all, if nobody can bring it back, ask whether it could be deleted unread (" + gate + ")", Command: stuck.Shellf("kubectl delete --raw '%s&dryRun=All'", path)},
		{Action: stuck.ActionDelete, Description: "and do it: its contents are lost, its finalizers are skipped, and what they would have cleaned up stays", Command: stuck.Shellf("kubectl delete --raw '%s'", path)},
	}
}
