package snapshot

import (
	"encoding/json"
	"maps"
	"slices"
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
// asked for, without those of a Secret, and without the copies of an object in its annotations, which
// may hold any of them.
func withheld(o object, configMapValues bool) map[string]any {
	content := maps.Clone(o.content)
	u := unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(o.typ.GVK())
	isConfigMap := o.typ.Group == "" && o.typ.Resource == "configmaps"
	if annotations := u.GetAnnotations(); blankCopies(annotations, o.typ.IsSecret() || isConfigMap) {
		content["metadata"] = maps.Clone(content["metadata"].(map[string]any))
		u.SetAnnotations(annotations)
	}
	if o.typ.IsSecret() || isConfigMap && !configMapValues {
		for _, field := range []string{"data", "stringData", "binaryData"} {
			delete(content, field)
		}
	}
	return content
}

// copies are the annotations in which tools keep the object as it was applied: kapp, Rancher's wrangler,
// k8s-objectmatcher and kopf (a prefix of its own for each operator).
var copies = []string{
	corev1.LastAppliedConfigAnnotation, "kapp.k14s.io/original", "objectset.rio.cattle.io/applied", "banzaicloud.com/last-applied", "/last-handled-configuration",
}

// maxAnnotation is how long a value may be in an annotation of a Secret or a ConfigMap: a longer one may
// hold what the object itself holds.
const maxAnnotation = 512

// blankCopies blanks the values of annotations that hold a copy of the object, and reports whether there
// were any.
func blankCopies(annotations map[string]string, confidential bool) (found bool) {
	for name, value := range annotations {
		isCopy := slices.ContainsFunc(copies, func(suffix string) bool { return strings.HasSuffix(name, suffix) })
		if isCopy || confidential && len(value) > maxAnnotation {
			annotations[name], found = blank(value), true
		}
	}
	return found
}

// blank is as many blanks as a text has bytes in JSON: the size of an object can be why it cannot
// be written.
func blank(text string) string {
	encoded, _ := json.Marshal(text) // a text can always be written
	return strings.Repeat(" ", len(encoded)-len(`""`))
}
