package health

import (
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// conversionGroup are the CRDs whose objects are converted in one way.
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

// hasSeveralVersions reports whether a CRD has anything to convert.
func hasSeveralVersions(c cluster.CRD) bool { return len(c.Spec.Versions) > 1 }

// conversionProblems are what is wrong with a conversion webhook, and whether
// it cannot be called.
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
		problem.Steps = c.backendRepairSteps(*called.Service, stuck.Step{Action: stuck.ActionCheck, Description: "see which service it calls", Command: stuck.Shellf("kubectl get crd %s -o jsonpath='{.spec.conversion.webhook.clientConfig.service}'", first.Name)})
	}
	if g.endpoint.untrusted || !g.endpoint.expires.IsZero() {
		problem.Steps = append(problem.Steps, stuck.Step{
			Action:      stuck.ActionCheck,
			Description: "renew its certificate, or put the authority that signed it into the caBundle; see which one is there",
			Command:     stuck.Shellf("kubectl get crd %s -o jsonpath='{.spec.conversion.webhook.clientConfig.caBundle}' | base64 -d | openssl x509 -noout -subject -dates", first.Name),
		})
	}
	switch {
	case len(g.endpoint.problems) > 0 && hasSeveralVersions(first):
		problem.State = stuck.Unhealthy
		problem.Summary = "the conversion webhook of " + joinFirst(names) + " cannot be called"
		problem.Impact = []string{"no object of it can be read or written in another version than it is stored in; where lists need that, namespaces cannot finish and the garbage collector does not see it"}
		problem.Evidence = append(problem.Evidence, c.listStatus(names)...)
	case len(g.endpoint.problems) > 0:
		problem.Summary = "the conversion webhook of " + joinFirst(names) + " cannot be called"
		problem.Impact = []string{"it hurts nobody yet: with one version there is nothing to convert"}
	case !g.endpoint.expires.IsZero():
		problem.Reason = "conversion-webhook-certificate-ends"
		problem.Summary = fmt.Sprintf("the caBundle for the conversion webhook of %s ends in %s", joinFirst(names), duration.HumanDuration(g.endpoint.expires.Sub(c.view.Now())))
		problem.Evidence = append(problem.Evidence, backend.ReadCABundle(c.view, called.CABundle).Evidence...)
		problem.Impact = []string{"from then on no object of it can be read or written in another version than it is stored in"}
	default:
		return nil, false
	}
	return []stuck.Problem{problem}, len(g.endpoint.problems) > 0
}

// listStatus says of the types that were listed how that went.
func (c *checker) listStatus(names []string) []string {
	var listed, failing []string
	for _, l := range c.lists {
		switch name := l.Type.String(); {
		case !slices.Contains(names, name), apierrors.IsForbidden(l.Err), errors.Is(l.Err, errNotListed): // nothing is known of it
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
		out = append(out, "can be listed now all the same, as nothing of it needs converting: "+joinFirst(listed))
	}
	return out
}
