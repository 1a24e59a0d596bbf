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

// Unreadable says which objects a list could not contain because they can be neither decoded nor decrypted. An object in a version
// that its CustomResourceDefinition lacks is intact, and none of these.
func Unreadable(failure cluster.ListFailure) (apitext.Unreadable, bool) {
	if _, intact := apitext.ParseRemovedVersion(failure.Err, failure.Type.Group); intact {
		return apitext.Unreadable{}, false
	}
	return apitext.ParseUnreadableError(failure.Err)
}

// UnreadableFinding is a type that cannot be listed because one of its objects in
// etcd can be neither decoded nor decrypted.
func UnreadableFinding(view *cluster.View, o stuck.Object, t stuck.Type, u apitext.Unreadable) stuck.Finding {
	verb := "decoded"
	if u.Encrypted {
		verb = "decrypted"
	}
	f := stuck.Finding{
		Message:   fmt.Sprintf("%s cannot be listed: one stored object cannot be %s", t, verb),
		BlockedBy: stuck.Culprit{Kind: t.Kind},
		Certainty: stuck.Confirmed,
		Verdict:   stuck.Blocked,
		Explains:  []string{FinalizerKubernetes, FinalizerCRD},
		Evidence: []string{
			"the API server reports: " + u.Message,
			fmt.Sprintf("until this is fixed, lists of %s fail, which can block other namespaces too", t),
		},
		Steps: repairUnreadableSteps(t, u),
		OnForce: stuck.Cost{
			Leaves:      stuck.LeakUnknown,
			Description: fmt.Sprintf("%s that could not be listed are left behind in etcd, and their cleanup is skipped", t),
		},
	}
	if len(u.Keys) > 0 {
		namespace, name := apitext.ParseEtcdKey(t, u.Keys[0])
		f.BlockedBy = stuck.Culprit{Kind: t.Kind, Namespace: namespace, Name: name}
		unreadable := t.Singular() + "/" + name + stuck.InNamespace(namespace)
		if more := len(u.Keys) - 1; more > 0 {
			unreadable += fmt.Sprintf(" and %d more", more)
		}
		f.Message = fmt.Sprintf("%s cannot be %s", unreadable, verb)
	}
	f.Evidence = append(f.Evidence, storedKeys(u.Keys)...)
	if len(u.Keys) == 0 {
		addUnreadableNames(view, o, &f, t, verb)
	}
	if o.IsNamespace() && ReportsNoContentLeft(view, o.Name) {
		f.Evidence = append(f.Evidence, `the condition "All content successfully removed" is not reliable while a type cannot be listed`)
	}
	if minor, ok := view.MinorVersion(); ok && len(u.Keys) > 0 {
		f.Steps = append(f.Steps, deleteUnreadableSteps(t, u.Keys[0], minor)...)
	}
	return f
}

// storedKeys say where the objects lie that a list could not contain.
func storedKeys(keys []string) (lines []string) {
	for _, key := range keys[:min(len(keys), maxKeysShown)] {
		lines = append(lines, "the object is stored in etcd as "+key)
	}
	if more := len(keys) - maxKeysShown; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return lines
}

// repairUnreadableSteps are the steps that make an object readable again.
func repairUnreadableSteps(t stuck.Type, u apitext.Unreadable) []stuck.Step {
	if u.Encrypted {
		return []stuck.Step{
			{
				Action:      stuck.ActionCheck,
				Description: "find the encryption configuration of kube-apiserver (hosted control plane: look for a disabled or deleted KMS key)",
				Command:     "kubectl -n kube-system get pods -l component=kube-apiserver -o yaml | grep encryption-provider-config",
			},
			{Action: stuck.ActionChange, Description: "restore the key that the object was encrypted with"},
		}
	}
	if len(u.Keys) == 0 {
		return []stuck.Step{{
			Action:      stuck.ActionCheck,
			Description: "list the stored objects of the type, and get each by name: kube-apiserver does not name the unreadable one",
			Command:     stuck.Shellf("etcdctl get --prefix --keys-only /registry/ | grep /%s/", t.Resource),
		}}
	}
	_, name := apitext.ParseEtcdKey(t, u.Keys[0])
	return []stuck.Step{{
		Action:      stuck.ActionCheck,
		Description: "save what is stored",
		Command:     stuck.Shellf("etcdctl get --print-value-only %s > %s.bin", u.Keys[0], name),
	}, restoreStoredStep}
}

// restoreStoredStep is how an object that cannot be decoded becomes readable again.
var restoreStoredStep = stuck.Step{
	Action:      stuck.ActionChange,
	Description: "run the newer version of the software again, if that wrote the object; if the object is damaged, restore a backup of etcd",
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
	var steps []stuck.Step
	if minor < unreadDeletionDefault {
		steps = append(steps, stuck.Step{Action: stuck.ActionChange, Description: "enable the feature gate AllowUnsafeMalformedObjectDeletion of kube-apiserver, as a last resort"})
	}
	return append(steps,
		stuck.Step{Action: stuck.ActionDelete, Description: "try in a dry run, as a last resort, to delete the object unread (needs the verb unsafe-delete-ignore-read-errors)", Command: stuck.Shellf("kubectl delete --raw '%s&dryRun=All'", path)},
		stuck.Step{Action: stuck.ActionDelete, Description: "delete the object unread: its content is lost, and the cleanup by its finalizers is skipped", Command: stuck.Shellf("kubectl delete --raw '%s'", path)},
	)
}
