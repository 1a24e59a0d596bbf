package cluster

import (
	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var (
	validating = stuck.Type{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingwebhookconfigurations", Kind: "ValidatingWebhookConfiguration"}
	mutating   = stuck.Type{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "mutatingwebhookconfigurations", Kind: "MutatingWebhookConfiguration"}
)

// Webhook is one admission webhook, in the part that is read.
type Webhook struct {
	Configuration string // as kubectl names it
	// Type and Holder are the kind and the name of the configuration, Index the
	// place in it, and Siblings how many others it holds.
	Type     stuck.Type
	Holder   string
	Index    int
	Siblings int

	Name    string
	Groups  []string
	Service *ServiceReference
	// URL is what is called where there is no Service.
	URL string
	// CABundle is what its certificate has to be signed by, in PEM.
	CABundle []byte
	// Ignored says that the API server goes on without it when it fails.
	Ignored bool
	// TimeoutSeconds is how long the API server waits for it.
	TimeoutSeconds    int
	Rules             []admissionv1.RuleWithOperations
	NamespaceSelector *metav1.LabelSelector
	ObjectSelector    *metav1.LabelSelector
	// Conditions are the CEL expressions that a request has to fulfil to be
	// shown to it.
	Conditions []string
}

// webhooks is what is read of a configuration of admission webhooks.
type webhooks struct {
	metav1.ObjectMeta `json:"metadata"`
	Webhooks          []webhook `json:"webhooks"`
}

type webhook struct {
	Name         string `json:"name"`
	ClientConfig struct {
		URL      string            `json:"url"`
		Service  *ServiceReference `json:"service"`
		CABundle []byte            `json:"caBundle"`
	} `json:"clientConfig"`
	Rules             []admissionv1.RuleWithOperations `json:"rules"`
	FailurePolicy     string                           `json:"failurePolicy"`
	TimeoutSeconds    *int                             `json:"timeoutSeconds"`
	NamespaceSelector *metav1.LabelSelector            `json:"namespaceSelector"`
	ObjectSelector    *metav1.LabelSelector            `json:"objectSelector"`
	MatchConditions   []admissionv1.MatchCondition     `json:"matchConditions"`
}

// Webhooks reads the admission webhooks of the cluster.
func (v *View) Webhooks() Many[Webhook] {
	out := Many[Webhook]{Complete: true}
	for _, t := range []stuck.Type{validating, mutating} {
		configurations := list[webhooks](v, t, Selection{})
		out.Complete = out.Complete && configurations.Complete
		for _, c := range configurations.Items {
			for i, w := range c.Webhooks {
				hook := w.read()
				hook.Configuration, hook.Type, hook.Holder = t.One()+"/"+c.Name, t, c.Name
				hook.Index, hook.Siblings = i, len(c.Webhooks)-1
				out.Items = append(out.Items, hook)
			}
		}
	}
	return out
}

func (w webhook) read() Webhook {
	hook := Webhook{
		Name: w.Name, Service: w.ClientConfig.Service, URL: w.ClientConfig.URL, CABundle: w.ClientConfig.CABundle,
		Ignored: w.FailurePolicy == string(admissionv1.Ignore), TimeoutSeconds: 10, // the API's default
		Rules: w.Rules, NamespaceSelector: w.NamespaceSelector, ObjectSelector: w.ObjectSelector,
	}
	if w.TimeoutSeconds != nil {
		hook.TimeoutSeconds = *w.TimeoutSeconds
	}
	for _, r := range w.Rules {
		hook.Groups = append(hook.Groups, r.APIGroups...)
	}
	for _, c := range w.MatchConditions {
		hook.Conditions = append(hook.Conditions, c.Expression)
	}
	return hook
}
