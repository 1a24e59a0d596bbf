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
)

// CRDMetadata reads the labels and annotations of the definition of a type.
// The definition itself, with its schema, can run to a megabyte.
func (v *View) CRDMetadata(t stuck.Type) Answer[metav1.PartialObjectMetadata] {
	return v.Metadata(customResourceDefinitions, "", t.String())
}

// Leases reads the Leases of a namespace.
func (v *View) Leases(namespace string) List[coordinationv1.Lease] {
	return ReadList[coordinationv1.Lease](v, leases, Selection{Namespace: namespace})
}

// LeaderElectionLeases are the Leases by which somebody leads, everywhere where the
// namespace is empty. Those that only tell that somebody lives, such as kubelets
// and API servers, say neither since when nor how often they changed hands
// (k8s.io/component-helpers/apimachinery/lease); those of kubelets, one for each
// node, are not even read.
func (v *View) LeaderElectionLeases(namespace string) List[coordinationv1.Lease] {
	sel := Selection{Namespace: namespace}
	if namespace == "" {
		sel.Fields = "metadata.namespace!=" + corev1.NamespaceNodeLease
	}
	all := ReadList[coordinationv1.Lease](v, leases, sel)
	all.Items = slices.DeleteFunc(all.Items, func(l coordinationv1.Lease) bool {
		return l.Spec.AcquireTime == nil && l.Spec.LeaseTransitions == nil
	})
	return all
}

// LeaderForLifeLocks are the ConfigMaps of a namespace that a Pod holds as a lock for life,
// as operator-lib makes them: owned by the Pod that leads. Their data is not
// read.
func (v *View) LeaderForLifeLocks(namespace string) List[stuck.Object] {
	all := objectsOf(v.survey("locks "+namespace, SurveyRequest{
		Types: []stuck.Type{configMaps}, Selection: Selection{Namespace: namespace}, Keep: func(o stuck.Object) bool {
			return slices.ContainsFunc(o.Owners, func(w stuck.OwnerReference) bool { return w.Kind == "Pod" })
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
func (v *View) Events(o stuck.Object) List[corev1.Event] {
	namespace := o.Namespace
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	return ReadList[corev1.Event](v, events, Selection{Namespace: namespace, Fields: "involvedObject.uid=" + string(o.UID)})
}

// HelmReleaseSecrets are the Secrets in which Helm keeps the versions of a release.
// Only their names are read.
func (v *View) HelmReleaseSecrets(namespace, release string) List[stuck.Object] {
	return objectsOf(v.survey("helm "+namespace+"/"+release, SurveyRequest{
		Types: []stuck.Type{secrets}, Selection: Selection{Namespace: namespace, Labels: "owner=helm,name=" + release},
		Keep: func(o stuck.Object) bool { return strings.HasPrefix(o.Name, "sh.helm.release.") },
	}))
}

// Conditions are the status conditions of an object, none of a Secret.
func (v *View) Conditions(o stuck.Object) List[Condition] {
	type conditioned struct {
		Status struct {
			Conditions []Condition `json:"conditions"`
		} `json:"status"`
	}
	if secret(o.Type) {
		return List[Condition]{Complete: true}
	}
	read := ReadSimilar[conditioned](v, o.Type, o.Namespace, o.Name)
	if !read.Found() {
		return List[Condition]{Complete: read.Absent()}
	}
	return List[Condition]{Items: read.Value.Status.Conditions, Complete: true}
}
