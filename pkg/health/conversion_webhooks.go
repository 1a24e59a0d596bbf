package health

import (
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// conversionGroup are the CRDs whose conversion webhook is called in one way.
type conversionGroup struct {
	crds     []cluster.CRD
	endpoint endpoint
}

func groupConversions(c *checker, crds []cluster.CRD) []conversionGroup {
	var out []conversionGroup
	for _, crd := range crds {
		called := crd.Spec.Conversion.Webhook.ClientConfig
		same := func(g conversionGroup) bool {
			other := g.crds[0].Spec.Conversion.Webhook.ClientConfig
			return other.URL == called.URL && (other.Service == nil) == (called.Service == nil) &&
				(called.Service == nil || *other.Service == *called.Service) && slices.Equal(other.CABundle, called.CABundle) &&
				hasSeveralVersions(g.crds[0]) == hasSeveralVersions(crd)
		}
		if i := slices.IndexFunc(out, same); i >= 0 {
			out[i].crds = append(out[i].crds, crd)
			continue
		}
		out = append(out, conversionGroup{crds: []cluster.CRD{crd}, endpoint: c.endpointOf(called.Service, called.CABundle)})
	}
	return out
}

// hasSeveralVersions reports whether a CRD has anything to convert: a version that is neither
// served nor stored is in its schema only.
func hasSeveralVersions(c cluster.CRD) bool {
	used := slices.Clone(c.Status.StoredVersions)
	for _, v := range c.Spec.Versions {
		if v.Served && !slices.Contains(used, v.Name) {
			used = append(used, v.Name)
		}
	}
	return len(used) > 1
}

// conversionProblems are the problems of a conversion webhook, and whether it is
// unreachable.
func (c *checker) conversionProblems(g conversionGroup, m cluster.Metrics) ([]stuck.Problem, bool) {
	var names []string
	failed := 0
	for _, crd := range g.crds {
		names = append(names, crd.Name)
		failed += m.ConversionFailures[crd.Name]
	}
	first := g.crds[0]
	problem := stuck.Problem{State: stuck.Warning, Reason: "conversion-webhook-unreachable", Subject: stuck.Culprit{Kind: "CustomResourceDefinition", Name: first.Name}, Evidence: slices.Clone(g.endpoint.problems)}
	if failed > 0 {
		problem.Evidence = append(problem.Evidence, fmt.Sprintf("conversions have failed %s since the API server started", countTimes(failed)))
	}
	called := first.Spec.Conversion.Webhook.ClientConfig
	if called.Service != nil && !g.endpoint.untrusted && g.endpoint.expires.IsZero() {
		problem.Steps = c.backendRepairSteps(*called.Service, stuck.Step{Action: stuck.ActionCheck, Description: fmt.Sprintf("which Service is the conversion webhook of %s?", first.Name), Command: stuck.Shellf("kubectl get crd %s -o jsonpath='{.spec.conversion.webhook.clientConfig.service}'", first.Name)})
	}
	if g.endpoint.untrusted || !g.endpoint.expires.IsZero() {
		problem.Steps = append(problem.Steps, stuck.Step{
			Action:      stuck.ActionCheck,
			Description: "which certificate authority is in the caBundle? Renew the certificate of the webhook, or put its authority there",
			Command:     stuck.Shellf("kubectl get crd %s -o jsonpath='{.spec.conversion.webhook.clientConfig.caBundle}' | base64 -d | openssl x509 -noout -subject -dates", first.Name),
		})
	}
	switch {
	case len(g.endpoint.problems) > 0 && hasSeveralVersions(first):
		problem.State, problem.Causes = stuck.Unhealthy, []string{cause.CRDConversionWebhookDown.ID}
		problem.Message = "the conversion webhook of " + joinFirst(names) + " cannot be called"
		problem.Blocks = c.blockedByConversion(g.crds)
		problem.Impact = []string{
			"objects cannot be read or written in another version than the stored one",
			"where a list needs conversion, namespaces cannot be deleted and the garbage collector does not see the type",
		}
		problem.Evidence = append(problem.Evidence, c.listStatus(names)...)
	case len(g.endpoint.problems) > 0:
		problem.Message = "the conversion webhook of " + joinFirst(names) + " cannot be called"
		problem.Impact = []string{"none now: one version is served and stored, so there is nothing to convert"}
	case !g.endpoint.expires.IsZero():
		problem.Reason = "conversion-webhook-certificate-ends"
		problem.Message = fmt.Sprintf("the caBundle of the conversion webhook of %s expires in %s", joinFirst(names), duration.HumanDuration(g.endpoint.expires.Sub(c.view.Now())))
		problem.Evidence = append(problem.Evidence, backend.ReadCABundle(c.view, called.CABundle).Evidence...)
		problem.Impact = []string{"after that, objects cannot be read or written in another version than the stored one"}
	default:
		return nil, false
	}
	return []stuck.Problem{problem}, len(g.endpoint.problems) > 0
}

// blockedByConversion are the namespaces whose deletion fails because objects of some CRDs
// cannot be converted.
func (c *checker) blockedByConversion(crds []cluster.CRD) []stuck.Object {
	var out []stuck.Object
	for _, t := range c.Types {
		if slices.ContainsFunc(crds, func(crd cluster.CRD) bool { return crd.Name == t.String() }) {
			out = append(out, c.namespacesFailingConversion(t)...)
		}
	}
	return out
}

// listStatus says which types can be listed now, and which cannot.
func (c *checker) listStatus(names []string) []string {
	var listed, failing []string
	for _, l := range c.lists {
		switch name := l.Type.String(); {
		case !slices.Contains(names, name), apierrors.IsForbidden(l.Err), errors.Is(l.Err, errNotListed): // not known
		case l.Err != nil:
			failing = append(failing, name)
		default:
			listed = append(listed, name)
		}
	}
	var out []string
	if len(failing) > 0 {
		out = append(out, "cannot be listed now: "+joinFirst(failing))
	}
	if len(listed) > 0 {
		out = append(out, "can be listed now, as no object needs conversion: "+joinFirst(listed))
	}
	return out
}
