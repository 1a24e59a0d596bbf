package dump

import (
	"encoding/json"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// head is what is read of every object.
type head struct {
	APIVersion     string            `json:"apiVersion"`
	Kind           string            `json:"kind"`
	Metadata       metav1.ObjectMeta `json:"metadata"`
	InvolvedObject struct {
		UID string `json:"uid"`
	} `json:"involvedObject"`
}

// add keeps an object, and returns its index, -1 for what is no object.
func (l *fileVisitor) add(raw []byte) (int, error) {
	var h head
	if strict, err := kjson.UnmarshalStrict(raw, &h, kjson.DisallowDuplicateFields); err != nil || len(strict) > 0 {
		return -1, fmt.Errorf("an object cannot be read: %w", errors.Join(append(strict, err)...))
	}
	if h.Metadata.Name == "" || h.Kind == "List" {
		return -1, nil
	}
	if err := l.budget.takeObject(); err != nil {
		return -1, err
	}
	raw, err := withoutSecrets(h, raw)
	if err != nil {
		return -1, err
	}
	at, err := l.store.add(raw)
	if err != nil {
		return -1, err
	}
	e := entry{
		namespace: l.intern(h.Metadata.Namespace), name: h.Metadata.Name, uid: string(h.Metadata.UID), created: unix(&h.Metadata.CreationTimestamp),
		deleted: unix(h.Metadata.DeletionTimestamp), rare: rareOf(h.Metadata), involved: h.InvolvedObject.UID, kind: -1, file: l.file, location: at,
	}
	if h.Kind != "" {
		e.kind = l.kindID(schema.FromAPIVersionAndKind(h.APIVersion, h.Kind))
	}
	l.noteTimes(h.Metadata)
	l.entries = append(l.entries, e)
	return len(l.entries) - 1, nil
}

func unix(t *metav1.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

func rareOf(m metav1.ObjectMeta) *rareFields {
	if m.DeletionGracePeriodSeconds == nil && len(m.Finalizers) == 0 && len(m.OwnerReferences) == 0 {
		return nil
	}
	o := stuck.ObjectOf(stuck.Type{}, m)
	return &rareFields{o.DeletionGracePeriodSeconds, o.Finalizers, o.Owners}
}

// noteTimes keeps the newest time that the API server itself wrote: other clocks may be wrong.
func (l *loader) noteTimes(m metav1.ObjectMeta) {
	times := []metav1.Time{m.CreationTimestamp}
	for _, f := range m.ManagedFields {
		if f.Time != nil {
			times = append(times, *f.Time)
		}
	}
	for _, t := range times {
		if t.After(l.newest) {
			l.newest = t.Time
		}
	}
	if m.DeletionTimestamp != nil && m.DeletionTimestamp.After(l.newestDeletion) {
		l.newestDeletion = m.DeletionTimestamp.Time
	}
}

func (l *loader) kindID(kind schema.GroupVersionKind) int32 {
	id, ok := l.kindIDs[kind]
	if !ok {
		id = int32(len(l.kinds))
		l.kinds, l.kindIDs[kind] = append(l.kinds, kind), id
	}
	return id
}

// intern keeps one copy of a text that many objects have.
func (l *loader) intern(text string) string {
	if kept, ok := l.names[text]; ok {
		return kept
	}
	l.names[text] = text
	return text
}

// withoutSecrets is an object without what is never kept of a Secret. An object in a list that
// names no kind may be one.
func withoutSecrets(h head, raw []byte) ([]byte, error) {
	if h.Kind != "" && (h.Kind != "Secret" || h.APIVersion != "v1") {
		return raw, nil
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, err
	}
	for _, name := range []string{"data", "stringData", "binaryData"} {
		delete(fields, name)
	}
	m := h.Metadata
	delete(m.Annotations, corev1.LastAppliedConfigAnnotation)
	metadata, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	fields["metadata"] = metadata
	return json.Marshal(fields)
}
