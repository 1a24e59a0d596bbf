package snapshot

import (
	"encoding/json"
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// metadataOf is the metadata that a scan keeps of an object.
func metadataOf(o stuck.Object) map[string]any {
	m := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Name: o.Name, Namespace: o.Namespace, UID: o.UID, ResourceVersion: o.ResourceVersion, CreationTimestamp: metav1.NewTime(o.CreationTime),
		Finalizers: o.Finalizers, DeletionGracePeriodSeconds: o.DeletionGracePeriodSeconds,
	}}
	if o.Deleting() {
		deleted := metav1.NewTime(o.DeletionTime)
		m.DeletionTimestamp = &deleted
	}
	for _, owner := range o.Owners {
		ref := metav1.OwnerReference{Kind: owner.Kind, Name: owner.Name, UID: owner.UID}
		if owner.Controller {
			ref.Controller = &owner.Controller
		}
		if owner.BlockOwnerDeletion {
			ref.BlockOwnerDeletion = &owner.BlockOwnerDeletion
		}
		m.OwnerReferences = append(m.OwnerReferences, ref)
	}
	return toMap(m)
}

func toMap(m *metav1.PartialObjectMetadata) map[string]any {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(m)
	if err != nil { // its type can always be converted
		return map[string]any{}
	}
	return content
}

// withheld is an object as it is written: without the values of a ConfigMap, unless they were
// asked for, without those of a Secret, and without what kubectl apply kept of an object, which may
// hold any of them.
func withheld(o object, configMapValues bool) map[string]any {
	content := maps.Clone(o.content)
	u := unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(o.typ.GVK())
	if annotations := u.GetAnnotations(); annotations[corev1.LastAppliedConfigAnnotation] != "" {
		metadata := maps.Clone(content["metadata"].(map[string]any))
		content["metadata"] = metadata
		annotations[corev1.LastAppliedConfigAnnotation] = blank(annotations[corev1.LastAppliedConfigAnnotation])
		u.SetAnnotations(annotations)
	}
	isConfigMap := o.typ.Group == "" && o.typ.Resource == "configmaps"
	if o.typ.IsSecret() || isConfigMap && !configMapValues {
		for _, field := range []string{"data", "stringData", "binaryData"} {
			delete(content, field)
		}
	}
	return content
}

// blank is as many blanks as a text has bytes in JSON: the size of an object can be why it cannot
// be written.
func blank(text string) string {
	encoded, _ := json.Marshal(text) // a text can always be written
	return strings.Repeat(" ", len(encoded)-len(`""`))
}
