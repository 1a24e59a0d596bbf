package backend

import (
	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var (
	validatingWebhookConfigurations = stuck.Type{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingwebhookconfigurations", Kind: "ValidatingWebhookConfiguration"}
	mutatingWebhookConfigurations   = stuck.Type{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "mutatingwebhookconfigurations", Kind: "MutatingWebhookConfiguration"}
)

// Webhook is one admission webhook, in the part that is read.
type Webhook struct {
	ConfigurationRef string // as kubectl names it
	// ConfigurationType and ConfigurationName are the type and the name of the
	// configuration, Index the place in it, and OtherWebhooks how many others it has.
	ConfigurationType stuck.Type
	ConfigurationName string
	Index             int
	OtherWebhooks     int

	Name      string
	APIGroups []string
	Service   *cluster.ServiceReference
	// Port and Path are where its Service is called.
	Port int
	Path string
	// URL is what is called where there is no Service.
	URL string
	// CABundle is what its certificate has to be signed by, in PEM.
	CABundle []byte
	// InjectCAFrom names the Certificate that cert-manager copies the caBundle from.
	InjectCAFrom string
	// IgnoresFailure says that the failurePolicy is Ignore.
	IgnoresFailure bool
	// TimeoutSeconds is how long the API server waits for it.
	TimeoutSeconds    int
	Rules             []admissionv1.RuleWithOperations
	NamespaceSelector *metav1.LabelSelector
	ObjectSelector    *metav1.LabelSelector
	// MatchConditions are the CEL expressions that a request has to fulfil to be
	// shown to it.
	MatchConditions []string
}

// webhookConfiguration is what is read of a configuration of admission webhooks.
type webhookConfiguration struct {
	metav1.ObjectMeta `json:"metadata"`
	Webhooks          []webhookSpec `json:"webhooks"`
}

type webhookSpec struct {
	Name         string `json:"name"`
	ClientConfig struct {
		URL     string `json:"url"`
		Service *struct {
			cluster.ServiceReference `json:",inline"`

			Port *int   `json:"port"`
			Path string `json:"path"`
		} `json:"service"`
		CABundle []byte `json:"caBundle"`
	} `json:"clientConfig"`
	Rules             []admissionv1.RuleWithOperations `json:"rules"`
	FailurePolicy     string                           `json:"failurePolicy"`
	TimeoutSeconds    *int                             `json:"timeoutSeconds"`
	NamespaceSelector *metav1.LabelSelector            `json:"namespaceSelector"`
	ObjectSelector    *metav1.LabelSelector            `json:"objectSelector"`
	MatchConditions   []admissionv1.MatchCondition     `json:"matchConditions"`
}

// Webhooks reads the admission webhooks of the cluster.
func Webhooks(v *cluster.View) cluster.List[Webhook] {
	out := cluster.List[Webhook]{Complete: true}
	for _, t := range []stuck.Type{validatingWebhookConfigurations, mutatingWebhookConfigurations} {
		configurations := cluster.ReadList[webhookConfiguration](v, t, cluster.Selection{})
		out.Complete = out.Complete && configurations.Complete
		for _, c := range configurations.Items {
			for i, w := range c.Webhooks {
				hook := w.toWebhook()
				hook.ConfigurationRef, hook.ConfigurationType, hook.ConfigurationName = t.Singular()+"/"+c.Name, t, c.Name
				hook.Index, hook.OtherWebhooks, hook.InjectCAFrom = i, len(c.Webhooks)-1, c.Annotations[cluster.InjectCAAnnotation]
				out.Items = append(out.Items, hook)
			}
		}
	}
	return out
}

func (w webhookSpec) toWebhook() Webhook {
	hook := Webhook{
		Name: w.Name, URL: w.ClientConfig.URL, CABundle: w.ClientConfig.CABundle,
		IgnoresFailure: w.FailurePolicy == string(admissionv1.Ignore), TimeoutSeconds: 10, // the API's default
		Rules: w.Rules, NamespaceSelector: w.NamespaceSelector, ObjectSelector: w.ObjectSelector,
	}
	if s := w.ClientConfig.Service; s != nil {
		hook.Service, hook.Port, hook.Path = &s.ServiceReference, 443, s.Path // the API's default
		if s.Port != nil {
			hook.Port = *s.Port
		}
	}
	if w.TimeoutSeconds != nil {
		hook.TimeoutSeconds = *w.TimeoutSeconds
	}
	for _, r := range w.Rules {
		hook.APIGroups = append(hook.APIGroups, r.APIGroups...)
	}
	for _, c := range w.MatchConditions {
		hook.MatchConditions = append(hook.MatchConditions, c.Expression)
	}
	return hook
}
