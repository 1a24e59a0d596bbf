package cluster

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// listGap is the gap of a type that could not be listed.
func listGap(t stuck.Type, namespace string, err error) stuck.Gap {
	if !t.Namespaced {
		namespace = ""
	}
	return stuck.Gap{
		Source: t.String() + stuck.InNamespace(namespace), Error: apitext.ErrorMessage(err),
		Type: t.GVR().GroupResource(), Namespace: namespace, MissingPermission: missingPermission("list", t, err),
	}
}

// missingPermission is the right that a refused request lacked.
func missingPermission(verb string, t stuck.Type, err error) *stuck.Permission {
	if !apierrors.IsForbidden(err) {
		return nil
	}
	return &stuck.Permission{Verb: verb, Group: t.Group, Resource: t.Resource}
}

func getGap(t stuck.Type, namespace, name string, err error) stuck.Gap {
	source := t.Ref(name) + stuck.InNamespace(namespace)
	return stuck.Gap{Source: source, Error: apitext.ErrorMessage(err), MissingPermission: missingPermission("get", t, err)}
}

func sortGaps(gaps []stuck.Gap) {
	slices.SortFunc(gaps, func(a, b stuck.Gap) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Error, b.Error))
	})
}

// MissingPathPermission is the right to get a path that was refused, nil where the error is
// another.
func MissingPathPermission(path string, err error) *stuck.Permission {
	if !apierrors.IsForbidden(err) {
		return nil
	}
	return &stuck.Permission{Verb: "get", Path: path}
}

// AddWatchGaps notes that types may not be watched.
func (v *View) AddWatchGaps(types ...stuck.Type) {
	for _, t := range types {
		v.AddGaps(stuck.Gap{Source: "watches on " + t.String(), Error: "forbidden", MissingPermission: &stuck.Permission{Verb: "watch", Group: t.Group, Resource: t.Resource}})
	}
}

// AddListGap notes that a type could not be listed.
func (v *View) AddListGap(t stuck.Type, namespace string, err error) {
	v.AddGaps(listGap(t, namespace, err))
}

// AddPodMetricsGap notes that the metrics of a Pod could not be read. A Pod may refuse
// them too, and then no right to its proxy helps.
func (v *View) AddPodMetricsGap(pod corev1.Pod, err error) {
	gap := stuck.Gap{Source: "metrics of pod/" + pod.Name + stuck.InNamespace(pod.Namespace), Error: apitext.ErrorMessage(err)}
	if apitext.IsPodProxyForbidden(err) {
		gap.MissingPermission = &stuck.Permission{Verb: "get", Resource: "pods/proxy"}
	}
	v.AddGaps(gap)
}
