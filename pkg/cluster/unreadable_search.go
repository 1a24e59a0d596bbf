package cluster

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// How far the search for an unreadable object goes whose name the API server
// does not say: it is there for the one that is named somewhere, not to try all.
const (
	maxCandidateNames      = 50
	maxCandidateNamespaces = 100
)

// UnreadableObjects are the objects of a type that cannot be read, where a list does not
// say which they are, as API servers before 1.37 do not. They are looked for by
// GET, since that is refused for one alone: among the names that something else
// in the namespace mentions. Without a namespace all are looked through whose
// lists are refused too. If none is among these, lists that begin at other keys
// find the first. There may be more.
func (v *View) UnreadableObjects(t stuck.Type, namespace string) []stuck.Object {
	return memoizeWithGaps(v, "unread "+t.String()+" in "+namespace, func() ([]stuck.Object, []stuck.Gap) {
		var found []stuck.Object
		for _, candidateNamespace := range v.unlistableNamespaces(t, namespace) {
			for _, name := range v.referencedNames(t, candidateNamespace) {
				_, err := v.shared.source.Metadata(v.ctx, t, candidateNamespace, name)
				if _, isUnreadable := apitext.ParseUnreadableError(err); isUnreadable {
					found = append(found, stuck.Object{Type: t, Namespace: candidateNamespace, Name: name})
				}
			}
		}
		if len(found) == 0 {
			search := unreadableSearch{view: v, typ: t, namespace: namespace}
			if o, ok := search.find(); ok {
				found = append(found, o)
			}
		}
		return found, nil
	})
}

// unlistableNamespaces are the namespaces in which the type cannot be listed: the one
// that is given, or as many as are tried of all.
func (v *View) unlistableNamespaces(t stuck.Type, namespace string) []string {
	if !t.Namespaced || namespace != "" {
		return []string{namespace}
	}
	all := v.survey("namespaces", SurveyRequest{Types: []stuck.Type{NamespaceType}, Keep: func(stuck.Object) bool { return true }}).Objects
	slices.SortFunc(all, stuck.Compare)
	var refused []string
	for _, ns := range all[:min(len(all), maxCandidateNamespaces)] {
		failed := v.survey("unlistable "+t.String()+" in "+ns.Name, SurveyRequest{
			Types: []stuck.Type{t}, Selection: Selection{Namespace: ns.Name}, Keep: func(stuck.Object) bool { return false },
		}).Failed
		if len(failed) == 0 {
			continue
		}
		if _, isUnreadable := apitext.ParseUnreadableError(failed[0].Err); isUnreadable {
			refused = append(refused, ns.Name)
		}
	}
	return refused
}

// referencedNames are the names of objects of a type that other objects in the
// namespace mention: events about them, objects that they own, and Pods that
// use them. As many as are tried, in order.
func (v *View) referencedNames(t stuck.Type, namespace string) []string {
	var names []string
	for _, e := range ReadList[corev1.Event](v, EventType, Selection{Namespace: namespace, Fields: "involvedObject.kind=" + t.Kind}).Items {
		names = append(names, e.InvolvedObject.Name)
	}
	for _, o := range v.NamespaceContent(namespace).Deleting {
		for _, ref := range o.Owners {
			if ref.Kind == t.Kind {
				names = append(names, ref.Name)
			}
		}
	}
	for _, pod := range ReadList[corev1.Pod](v, PodType, Selection{Namespace: namespace}).Items {
		names = append(names, namesUsedByPod(pod, t)...)
	}
	slices.Sort(names)
	names = slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" || strings.Contains(name, "/") })
	return names[:min(len(names), maxCandidateNames)]
}

// namesUsedByPod are the ConfigMaps, Secrets or claims that a Pod names.
func namesUsedByPod(pod corev1.Pod, t stuck.Type) []string {
	if t.Group != "" {
		return nil
	}
	var names []string
	for _, volume := range pod.Spec.Volumes {
		switch {
		case t.Kind == "ConfigMap" && volume.ConfigMap != nil:
			names = append(names, volume.ConfigMap.Name)
		case t.Kind == "Secret" && volume.Secret != nil:
			names = append(names, volume.Secret.SecretName)
		case t.Kind == "PersistentVolumeClaim" && volume.PersistentVolumeClaim != nil:
			names = append(names, volume.PersistentVolumeClaim.ClaimName)
		}
	}
	for _, container := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		for _, from := range container.EnvFrom {
			switch {
			case t.Kind == "ConfigMap" && from.ConfigMapRef != nil:
				names = append(names, from.ConfigMapRef.Name)
			case t.Kind == "Secret" && from.SecretRef != nil:
				names = append(names, from.SecretRef.Name)
			}
		}
	}
	return names
}
