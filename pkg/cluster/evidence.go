package cluster

import (
	"cmp"
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// The types that evidence is read from, in the versions whose fields are used.
var (
	namespaces = stuck.Type{Version: "v1", Resource: "namespaces", Kind: "Namespace"}
	nodes      = stuck.Type{Version: "v1", Resource: "nodes", Kind: "Node"}
	pods       = stuck.Type{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true}
	services   = stuck.Type{Version: "v1", Resource: "services", Kind: "Service", Namespaced: true}
	claims     = stuck.Type{Version: "v1", Resource: "persistentvolumeclaims", Kind: "PersistentVolumeClaim", Namespaced: true}
	volumes    = stuck.Type{Version: "v1", Resource: "persistentvolumes", Kind: "PersistentVolume"}
	jobs       = stuck.Type{Group: "batch", Version: "v1", Resource: "jobs", Kind: "Job", Namespaced: true}
	leases     = stuck.Type{Group: "coordination.k8s.io", Version: "v1", Resource: "leases", Kind: "Lease", Namespaced: true}
	endpoints  = stuck.Type{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices", Kind: "EndpointSlice", Namespaced: true}
)

// Namespace reads a Namespace.
func (v *View) Namespace(name string) One[corev1.Namespace] {
	if all, ok := everywhere[corev1.Namespace](v, namespaces); ok && len(all[name]) == 1 {
		return One[corev1.Namespace]{Value: &all[name][0]}
	}
	return get[corev1.Namespace](v, namespaces, "", name)
}

// Node reads a Node.
func (v *View) Node(name string) One[corev1.Node] { return get[corev1.Node](v, nodes, "", name) }

// Pod reads a Pod.
func (v *View) Pod(namespace, name string) One[corev1.Pod] {
	return one[corev1.Pod](v, pods, namespace, name)
}

// Pods reads the Pods of a namespace.
func (v *View) Pods(namespace string) Many[corev1.Pod] {
	return list[corev1.Pod](v, pods, Selection{Namespace: namespace})
}

// Service reads a Service.
func (v *View) Service(namespace, name string) One[corev1.Service] {
	return get[corev1.Service](v, services, namespace, name)
}

// Endpoints reads the EndpointSlices of a Service.
func (v *View) Endpoints(namespace, service string) Many[discoveryv1.EndpointSlice] {
	return list[discoveryv1.EndpointSlice](v, endpoints, Selection{
		Namespace: namespace, Labels: discoveryv1.LabelServiceName + "=" + service,
	})
}

// Claim reads a PersistentVolumeClaim.
func (v *View) Claim(namespace, name string) One[corev1.PersistentVolumeClaim] {
	return get[corev1.PersistentVolumeClaim](v, claims, namespace, name)
}

// Volume reads a PersistentVolume.
func (v *View) Volume(name string) One[corev1.PersistentVolume] {
	return get[corev1.PersistentVolume](v, volumes, "", name)
}

// Volumes reads the PersistentVolumes of the cluster.
func (v *View) Volumes() Many[corev1.PersistentVolume] {
	return list[corev1.PersistentVolume](v, volumes, Selection{})
}

// Job reads a Job.
func (v *View) Job(namespace, name string) One[batchv1.Job] {
	return get[batchv1.Job](v, jobs, namespace, name)
}

// Lease reads a Lease.
func (v *View) Lease(namespace, name string) One[coordinationv1.Lease] {
	return get[coordinationv1.Lease](v, leases, namespace, name)
}

// one reads an object that may be one of many alike. Where many of its type in
// its namespace are asked about it reads them all in one go: thousands of
// requests would cost more than one answer that holds some more.
func one[T any](v *View, t stuck.Type, namespace, name string) One[T] {
	if !v.many(t, namespace) {
		return get[T](v, t, namespace, name)
	}
	all := ask(v, fmt.Sprintf("all %s in %s as %T", t, namespace, *new(T)), func() (map[string]*T, []stuck.Gap) {
		all := map[string]*T{}
		err := visit(v, t, Selection{Namespace: namespace}, func(u unstructured.Unstructured, value *T) { all[u.GetName()] = value })
		if err != nil {
			return nil, []stuck.Gap{listGap(t, namespace, err)}
		}
		return all, nil
	})
	return One[T]{Value: all[name], absent: all != nil && all[name] == nil}
}

// get reads one object as a T.
func get[T any](v *View, t stuck.Type, namespace, name string) One[T] {
	return ask(v, fmt.Sprintf("get %s %s/%s as %T", t, namespace, name, *new(T)), func() (One[T], []stuck.Gap) {
		u, err := v.shared.source.Get(v.ctx, t, namespace, name)
		if Absent(err) {
			return One[T]{absent: true}, nil
		}
		value := new(T)
		if err == nil {
			err = runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, value)
		}
		if err != nil {
			return One[T]{}, []stuck.Gap{getGap(t, namespace, name, err)}
		}
		return One[T]{Value: value}, nil
	})
}

// list reads objects as Ts.
func list[T any](v *View, t stuck.Type, sel Selection) Many[T] {
	all := ask(v, fmt.Sprintf("list %s %+v as %T", t, sel, *new(T)), func() (Many[T], []stuck.Gap) {
		many := Many[T]{Complete: true}
		err := visit(v, t, sel, func(_ unstructured.Unstructured, value *T) { many.Items = append(many.Items, *value) })
		if err != nil {
			return Many[T]{}, []stuck.Gap{listGap(t, sel.Namespace, err)}
		}
		return many, nil
	})
	all.Items = slices.Clone(all.Items) // whoever picks some of them picks for himself
	return all
}

// visit reads objects as Ts, and keeps no more of the whole than one page. With
// an error, some have been visited.
func visit[T any](v *View, t stuck.Type, sel Selection, each func(unstructured.Unstructured, *T)) error {
	var malformed error
	err := v.shared.source.List(v.ctx, t, sel, func(u unstructured.Unstructured) {
		value := new(T)
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, value); err != nil {
			malformed = err
			return
		}
		each(u, value)
	})
	return cmp.Or(err, malformed)
}
