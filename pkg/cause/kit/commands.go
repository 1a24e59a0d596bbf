package kit

import (
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// IsValidName reports whether what a field of an object holds can be the name of
// another: only then is it worth asking for, and fit to stand in a command.
func IsValidName(names ...string) bool {
	for _, name := range names {
		if len(validation.IsDNS1123Subdomain(name)) > 0 {
			return false
		}
	}
	return true
}

// ForceStep is to remove finalizers of an object by force although a controller could: its command shows the plan, and changes nothing. Consent
// are the flags by which the user accepts what is lost.
func ForceStep(o stuck.Object, description string, finalizers []string, consent ...string) stuck.Step {
	args := append(o.Args(), "--dry-run=server", "--override-verdict")
	args = append(args, consent...)
	for _, f := range finalizers {
		if o.IsNamespace() || len(o.AllFinalizers()) > len(finalizers) {
			args = append(args, "--finalizer="+f)
		}
	}
	return stuck.Step{Action: stuck.ActionForce, Description: description + " (the dry run changes nothing)", Command: stuck.Command("", append([]string{"finalizers", "force-remove"}, args...)...)}
}

// KeepDataStep keeps the data of a PersistentVolume when its claim is deleted.
func KeepDataStep(volume string) stuck.Step {
	return stuck.Step{
		Action:      stuck.ActionChange,
		Description: "to keep the data, set the reclaim policy of the volume to Retain first",
		Command:     stuck.Shellf(`kubectl patch pv %s -p '{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}'`, volume),
	}
}

// EditStep is a change to the object itself, in an editor.
func EditStep(o stuck.Object, description string) stuck.Step {
	return stuck.Step{Action: stuck.ActionChange, Description: description, Command: stuck.Kubectlf(o.Namespace, "edit %s %s", o.Type, o.Name)}
}
