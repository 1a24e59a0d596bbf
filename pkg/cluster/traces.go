package cluster

import (
	"slices"
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var (
	configMaps = stuck.Type{Version: "v1", Resource: "configmaps", Kind: "ConfigMap", Namespaced: true}
	secrets    = stuck.Type{Version: "v1", Resource: "secrets", Kind: "Secret", Namespaced: true}
	events     = stuck.Type{Version: "v1", Resource: "events", Kind: "Event", Namespaced: true}
	validating = stuck.Type{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingwebhookconfigurations", Kind: "ValidatingWebhookConfiguration"}
	mutating   = stuck.Type{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "mutatingwebhookconfigurations", Kind: "MutatingWebhookConfiguration"}
)

// CRDMetadata reads the labels and annotations of the definition of a type.
// The definition itself, with its schema, can run to a megabyte.
func (v *View) CRDMetadata(t stuck.Type) One[metav1.PartialObjectMetadata] {
	return v.Metadata(crds, "", t.String())
}

// Webhook is one admission webhook, in the part that is read.
type Webhook struct {
	Configuration string // as kubectl names it
	Name          string
	Groups        []string
	Service       *ServiceReference
}

// webhooks is what is read of a configuration of admission webhooks.
type webhooks struct {
	metav1.ObjectMeta `json:"metadata"`
	Webhooks          []struct {
		Name         string `json:"name"`
		ClientConfig struct {
			Service *ServiceReference `json:"service"`
		} `json:"clientConfig"`
		Rules []struct {
			APIGroups []string `json:"apiGroups"`
		} `json:"rules"`
	} `json:"webhooks"`
}

// Webhooks reads the admission webhooks of the cluster.
func (v *View) Webhooks() Many[Webhook] {
	out := Many[Webhook]{Complete: true}
	for _, t := range []stuck.Type{validating, mutating} {
		configurations := list[webhooks](v, t, Selection{})
		out.Complete = out.Complete && configurations.Complete
		for _, c := range configurations.Items {
			for _, w := range c.Webhooks {
				hook := Webhook{Configuration: t.One() + "/" + c.Name, Name: w.Name, Service: w.ClientConfig.Service}
				for _, r := range w.Rules {
					hook.Groups = append(hook.Groups, r.APIGroups...)
				}
				out.Items = append(out.Items, hook)
			}
		}
	}
	return out
}

// Leases reads the Leases of a namespace.
func (v *View) Leases(namespace string) Many[coordinationv1.Lease] {
	return list[coordinationv1.Lease](v, leases, Selection{Namespace: namespace})
}

// Locks are the ConfigMaps of a namespace that a Pod holds as a lock for life,
// as operator-lib makes them: owned by the Pod that leads. Their data is not
// read.
func (v *View) Locks(namespace string) Many[stuck.Object] {
	all := many(v.pass("locks "+namespace, Pass{
		Types: []stuck.Type{configMaps}, Selection: Selection{Namespace: namespace}, Keep: func(o stuck.Object) bool {
			return slices.ContainsFunc(o.Owners, func(w stuck.Reference) bool { return w.Kind == "Pod" })
		},
	}))
	return all
}

// PodExists says whether a Pod is there.
func (v *View) PodExists(namespace, name string) (exists, known bool) {
	m := v.Metadata(pods, namespace, name)
	return m.Found(), m.Found() || m.Absent()
}

// Events reads the Events of an object.
func (v *View) Events(o stuck.Object) Many[corev1.Event] {
	namespace := o.Namespace
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	return list[corev1.Event](v, events, Selection{Namespace: namespace, Fields: "involvedObject.uid=" + string(o.UID)})
}

// HelmReleases are the Secrets in which Helm keeps the versions of a release.
// Only their names are read.
func (v *View) HelmReleases(namespace, release string) Many[stuck.Object] {
	return many(v.pass("helm "+namespace+"/"+release, Pass{
		Types: []stuck.Type{secrets}, Selection: Selection{Namespace: namespace, Labels: "owner=helm,name=" + release},
		Keep: func(o stuck.Object) bool { return strings.HasPrefix(o.Name, "sh.helm.release.") },
	}))
}

// Conditions are the status conditions of an object, none of a Secret.
func (v *View) Conditions(o stuck.Object) Many[Condition] {
	type conditioned struct {
		Status struct {
			Conditions []Condition `json:"conditions"`
		} `json:"status"`
	}
	if secret(o.Type) {
		return Many[Condition]{Complete: true}
	}
	read := get[conditioned](v, o.Type, o.Namespace, o.Name)
	if !read.Found() {
		return Many[Condition]{Complete: read.Absent()}
	}
	return Many[Condition]{Items: read.Value.Status.Conditions, Complete: true}
}
