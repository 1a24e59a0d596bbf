package kit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// RemovedVersionFinding is a custom type that cannot be listed because an object is stored in a version that its
// CustomResourceDefinition does not have. An API server that has not noticed yet that the version is back is no finding.
func RemovedVersionFinding(view *cluster.View, failure cluster.ListFailure) (stuck.Finding, bool) {
	name := failure.Type.GVR().GroupResource().String()
	version, ok := apitext.ParseRemovedVersion(failure.Err, failure.Type.Group)
	if !ok {
		return stuck.Finding{}, false
	}
	f := stuck.Finding{
		Message:   fmt.Sprintf("%s cannot be listed: an object is stored in %s, which the CRD lacks", name, version),
		BlockedBy: stuck.Culprit{Kind: "CustomResourceDefinition", Name: name},
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Explains:  []string{FinalizerKubernetes, FinalizerCRD},
		Evidence:  []string{"the API server reports: request to convert CR from an invalid group/version: " + failure.Type.Group + "/" + version},
		OnForce:   unlistedCost(name),
	}
	crd := view.CRD(name)
	if crd.Found() {
		var versions []string
		for _, v := range crd.Value.Spec.Versions {
			versions = append(versions, v.Name)
		}
		if slices.Contains(versions, version) {
			return stuck.Finding{}, false
		}
		f.Evidence = append(f.Evidence, fmt.Sprintf("crd/%s has only %s", name, strings.Join(versions, ", ")))
		if reported := (*cluster.ReportedListError)(nil); !errors.As(failure.Err, &reported) {
			f.Certainty = stuck.Confirmed
		}
	}
	u, _ := apitext.ParseUnreadableError(failure.Err)
	f.Evidence = append(f.Evidence, storedKeys(u.Keys)...)
	f.Evidence = append(f.Evidence, "the stored objects are intact, although the API server may report them as corrupt",
		fmt.Sprintf("until this is fixed, lists of %s fail, which can block other namespaces too", name))
	f.Steps = restoreVersionSteps(name, version, crd.Found() && crd.Value.Spec.Conversion.Strategy == "Webhook")
	return f, true
}

// restoreVersionSteps make the objects readable again: a version that is not served is enough. Its schema keeps all fields.
func restoreVersionSteps(crd, version string, hasWebhook bool) []stuck.Step {
	if !IsValidName(version) {
		return nil
	}
	restore := fmt.Sprintf("add %s to the CustomResourceDefinition again, not served; if the release that wrote the objects can be installed, install that instead", version)
	if hasWebhook {
		restore += "; the conversion webhook has to know the version"
	}
	return []stuck.Step{
		{
			Action:      stuck.ActionChange,
			Description: restore,
			Command: stuck.Shellf(`kubectl patch crd %s --type=json -p '[{"op":"add","path":"/spec/versions/-","value":{"name":%q,"served":false,"storage":false,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}]'`,
				crd, version),
		},
		{
			Action:      stuck.ActionChange,
			Description: "write the objects that stay once, so that they are stored in the present version; only then remove the other one again",
			Command:     stuck.Shellf("kubectl get %s -A -o json | kubectl replace -f -", crd),
		},
	}
}
