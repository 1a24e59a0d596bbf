package health

import (
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/owner"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// converter are the CRDs whose objects are converted in one way.
type converter struct {
	crds []cluster.CRD
	way  way
}

func groupConverters(e *examination, crds []cluster.CRD) []converter {
	var out []converter
	for _, c := range crds {
		called := c.Spec.Conversion.Webhook.ClientConfig
		same := func(g converter) bool {
			other := g.crds[0].Spec.Conversion.Webhook.ClientConfig
			return other.URL == called.URL && (other.Service == nil) == (called.Service == nil) &&
				(called.Service == nil || *other.Service == *called.Service) && slices.Equal(other.CABundle, called.CABundle) &&
				converts(g.crds[0]) == converts(c)
		}
		if i := slices.IndexFunc(out, same); i >= 0 {
			out[i].crds = append(out[i].crds, c)
			continue
		}
		out = append(out, converter{crds: []cluster.CRD{c}, way: e.wayTo(called.Service, called.CABundle)})
	}
	return out
}

// converts says whether a CRD has anything to convert.
func converts(c cluster.CRD) bool { return len(c.Spec.Versions) > 1 }

// conversionAilments are what is wrong with a conversion webhook, and whether
// it cannot be called.
func (e *examination) conversionAilments(g converter, m cluster.Metrics) ([]stuck.Ailment, bool) {
	var names []string
	failed := 0
	for _, c := range g.crds {
		names = append(names, c.Name)
		failed += m.Conversions[c.Name]
	}
	first := g.crds[0]
	a := stuck.Ailment{State: stuck.Doubtful, Reason: "conversion-webhook-unreachable", Subject: stuck.Culprit{Kind: "CustomResourceDefinition", Name: first.Name}, Evidence: slices.Clone(g.way.blocked)}
	if failed > 0 {
		a.Evidence = append(a.Evidence, fmt.Sprintf("conversions have failed %s since the API server started", times(failed)))
	}
	called := first.Spec.Conversion.Webhook.ClientConfig
	if called.Service != nil && !g.way.distrusts && g.way.ends.IsZero() {
		a.Fix = owner.ReviveService(e.see, *called.Service)
	}
	if g.way.distrusts || !g.way.ends.IsZero() {
		a.Fix = append(a.Fix, stuck.Step{
			What:    "renew its certificate, or put the authority that signed it into the caBundle; see which one is there",
			Command: fmt.Sprintf("kubectl get crd %s -o jsonpath='{.spec.conversion.webhook.clientConfig.caBundle}' | base64 -d | openssl x509 -noout -subject -dates", first.Name),
		})
	}
	switch {
	case len(g.way.blocked) > 0 && converts(first):
		a.State = stuck.Ill
		a.Summary = "the conversion webhook of " + few(names) + " cannot be called"
		a.Hurts = []string{"no object of it can be read or written in another version than it is stored in; where lists need that, namespaces cannot finish and the garbage collector does not see it"}
		a.Evidence = append(a.Evidence, e.unlistableNow(names)...)
	case len(g.way.blocked) > 0:
		a.Summary = "the conversion webhook of " + few(names) + " cannot be called"
		a.Hurts = []string{"it hurts nobody yet: with one version there is nothing to convert"}
	case !g.way.ends.IsZero():
		a.Reason = "conversion-webhook-certificate-ends"
		a.Summary = fmt.Sprintf("the caBundle for the conversion webhook of %s ends in %s", few(names), duration.HumanDuration(g.way.ends.Sub(e.see.Now())))
		a.Evidence = append(a.Evidence, owner.TrustIn(e.see, called.CABundle).Says...)
		a.Hurts = []string{"from then on no object of it can be read or written in another version than it is stored in"}
	default:
		return nil, false
	}
	return []stuck.Ailment{a}, len(g.way.blocked) > 0
}

// unlistableNow says of the types that were listed how that went.
func (e *examination) unlistableNow(names []string) []string {
	var fine, failing []string
	for _, l := range e.listed {
		switch name := l.Type.String(); {
		case !slices.Contains(names, name), apierrors.IsForbidden(l.Err), errors.Is(l.Err, errNotAsked): // nothing is known of it
		case l.Err != nil:
			failing = append(failing, name)
		default:
			fine = append(fine, name)
		}
	}
	var out []string
	if len(failing) > 0 {
		out = append(out, "cannot be listed now: "+few(failing))
	}
	if len(fine) > 0 {
		out = append(out, "can be listed now all the same, as nothing of it needs converting: "+few(fine))
	}
	return out
}
