package cluster

import (
	"cmp"
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Namespace reads a Namespace.
func (v *View) Namespace(name string) Answer[corev1.Namespace] {
	if all, ok := readAllNamespaces[corev1.Namespace](v, NamespaceType); ok && len(all[name]) == 1 {
		return Answer[corev1.Namespace]{Value: &all[name][0]}
	}
	return Read[corev1.Namespace](v, NamespaceType, "", name)
}

// Node reads a Node.
func (v *View) Node(name string) Answer[corev1.Node] { return Read[corev1.Node](v, NodeType, "", name) }

// Pod reads a Pod.
func (v *View) Pod(namespace, name string) Answer[corev1.Pod] {
	return ReadSimilar[corev1.Pod](v, PodType, namespace, name)
}

// Pods reads the Pods of a namespace.
func (v *View) Pods(namespace string) List[corev1.Pod] {
	return ReadList[corev1.Pod](v, PodType, Selection{Namespace: namespace})
}

// Service reads a Service.
func (v *View) Service(namespace, name string) Answer[corev1.Service] {
	return Read[corev1.Service](v, ServiceType, namespace, name)
}

// EndpointSlices reads the EndpointSlices of a Service.
func (v *View) EndpointSlices(namespace, service string) List[discoveryv1.EndpointSlice] {
	return ReadList[discoveryv1.EndpointSlice](v, EndpointSliceType, Selection{
		Namespace: namespace, Labels: discoveryv1.LabelServiceName + "=" + service,
	})
}

// PersistentVolumeClaim reads a PersistentVolumeClaim.
func (v *View) PersistentVolumeClaim(namespace, name string) Answer[corev1.PersistentVolumeClaim] {
	return Read[corev1.PersistentVolumeClaim](v, PersistentVolumeClaimType, namespace, name)
}

// PersistentVolumes reads the PersistentVolumes of the cluster.
func (v *View) PersistentVolumes() List[corev1.PersistentVolume] {
	return ReadList[corev1.PersistentVolume](v, PersistentVolumeType, Selection{})
}

// Job reads a Job.
func (v *View) Job(namespace, name string) Answer[batchv1.Job] {
	return Read[batchv1.Job](v, JobType, namespace, name)
}

// ReadSimilar reads an object that may be one of many similar ones. Where many of its type in
// its namespace are asked about it reads them all in one go: thousands of
// requests would cost more than one answer that holds some more.
func ReadSimilar[T any](v *View, t stuck.Type, namespace, name string) Answer[T] {
	if !v.isBulk(t, namespace) {
		return Read[T](v, t, namespace, name)
	}
	all := memoizeWithGaps(v, fmt.Sprintf("all %s in %s as %T", t, namespace, *new(T)), func() (map[string]*T, []stuck.Gap) {
		all := map[string]*T{}
		err := readEach(v, t, Selection{Namespace: namespace}, func(u unstructured.Unstructured, value *T) { all[u.GetName()] = value })
		if err != nil {
			return nil, []stuck.Gap{listGap(t, namespace, err)}
		}
		return all, nil
	})
	return Answer[T]{Value: all[name], absent: all != nil && all[name] == nil}
}

// ReadObject reads whole, as a T, an object that a scan has seen; ok only if it
// was found and is still that object and not another of its name.
func ReadObject[T any, P interface {
	*T
	GetUID() types.UID
}](v *View, o stuck.Object) (value *T, ok bool) {
	answer := ReadSimilar[T](v, o.Type, o.Namespace, o.Name)
	if !answer.Found() || P(answer.Value).GetUID() != o.UID {
		return nil, false
	}
	return answer.Value, true
}

// Read reads one object as a T.
func Read[T any](v *View, t stuck.Type, namespace, name string) Answer[T] {
	return memoizeWithGaps(v, fmt.Sprintf("get %s %s/%s as %T", t, namespace, name, *new(T)), func() (Answer[T], []stuck.Gap) {
		u, err := v.shared.source.Get(v.ctx, t, namespace, name)
		if IsObjectNotFound(err) {
			return Answer[T]{absent: true, ReadAt: v.Now()}, nil
		}
		value := new(T)
		if err == nil {
			err = runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, value)
		}
		if err != nil {
			return Answer[T]{}, []stuck.Gap{getGap(t, namespace, name, err)}
		}
		return Answer[T]{Value: value, ReadAt: v.Now()}, nil
	})
}

// ReadList reads objects as Ts.
func ReadList[T any](v *View, t stuck.Type, sel Selection) List[T] {
	all := memoizeWithGaps(v, fmt.Sprintf("list %s %+v as %T", t, sel, *new(T)), func() (List[T], []stuck.Gap) {
		many := List[T]{Complete: true}
		err := readEach(v, t, sel, func(_ unstructured.Unstructured, value *T) { many.Items = append(many.Items, *value) })
		if err != nil {
			return List[T]{}, []stuck.Gap{listGap(t, sel.Namespace, err)}
		}
		many.ReadAt = v.Now()
		return many, nil
	})
	all.Items = slices.Clone(all.Items) // a caller that picks some of them changes only its own
	return all
}

// readEach reads objects as Ts, and keeps no more of the whole than one page. With
// an error, some have been visited.
func readEach[T any](v *View, t stuck.Type, sel Selection, each func(unstructured.Unstructured, *T)) error {
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

// Conditions are the status conditions of an object, none of a Secret.
func (v *View) Conditions(o stuck.Object) List[Condition] {
	type conditioned struct {
		Status struct {
			Conditions []Condition `json:"conditions"`
		} `json:"status"`
	}
	if o.Type.IsSecret() {
		return List[Condition]{Complete: true}
	}
	read := ReadSimilar[conditioned](v, o.Type, o.Namespace, o.Name)
	if !read.Found() {
		return List[Condition]{Complete: read.Absent()}
	}
	return List[Condition]{Items: read.Value.Status.Conditions, Complete: true}
}
