package dump

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// head is what is read of every object.
type head struct {
	APIVersion     string       `json:"apiVersion"`
	Kind           string       `json:"kind"`
	Metadata       headMetadata `json:"metadata"`
	InvolvedObject struct {
		UID string `json:"uid"`
	} `json:"involvedObject"`
}

// headMetadata is what a scan keeps of the metadata. The rest is most of it, and costs time and memory to
// decode.
type headMetadata struct {
	Namespace                  string                  `json:"namespace"`
	Name                       string                  `json:"name"`
	UID                        string                  `json:"uid"`
	ResourceVersion            string                  `json:"resourceVersion"`
	CreationTimestamp          metav1.Time             `json:"creationTimestamp"`
	DeletionTimestamp          *metav1.Time            `json:"deletionTimestamp"`
	DeletionGracePeriodSeconds *int64                  `json:"deletionGracePeriodSeconds"`
	Finalizers                 []string                `json:"finalizers"`
	OwnerReferences            []metav1.OwnerReference `json:"ownerReferences"`
	ManagedFields              []struct {
		Time *metav1.Time `json:"time"`
	} `json:"managedFields"`
}

// add keeps an object, and returns its index, -1 for what is no object.
func (l *fileVisitor) add(raw []byte) (int, error) {
	if err := checkValues(raw); err != nil {
		return -1, err
	}
	var h head
	if strict, err := kjson.UnmarshalStrict(raw, &h, kjson.DisallowDuplicateFields); err != nil || len(strict) > 0 {
		return -1, fmt.Errorf("an object cannot be read: %w", errors.Join(append(strict, err)...))
	}
	if isGroup(h.APIVersion, "meta.k8s.io") {
		return -1, fmt.Errorf("it has a %s, which lacks the type of the objects or most of them: ask for -o json", h.Kind)
	}
	if h.Metadata.Name == "" || h.Kind == "List" {
		return -1, nil
	}
	if err := errors.Join(l.budget.takeObject(), l.budget.takeMemory(h.size())); err != nil {
		return -1, err
	}
	raw, err := withoutSecrets(h, raw)
	if err != nil {
		return -1, err
	}
	if l.compact.Reset(); !l.isCompact && json.Compact(&l.compact, raw) == nil { // kubectl indents
		raw = l.compact.Bytes()
	}
	at, err := l.store.add(raw)
	if err != nil {
		return -1, err
	}
	e := entry{
		resourceVersion: versionNumber(h.Metadata.ResourceVersion), namespace: l.intern(h.Metadata.Namespace), name: h.Metadata.Name, uid: h.Metadata.UID, created: unix(&h.Metadata.CreationTimestamp),
		deleted: unix(h.Metadata.DeletionTimestamp), rare: l.rareOf(h.Metadata), involved: h.InvolvedObject.UID, kind: -1, file: l.file, location: at,
	}
	if h.Kind != "" {
		e.kind = l.kindID(schema.FromAPIVersionAndKind(h.APIVersion, h.Kind))
	}
	l.noteTimes(h.Metadata)
	l.files[l.file].redacted = l.files[l.file].redacted || isRedacted(h.Metadata, raw)
	l.entries = append(l.entries, e)
	return len(l.entries) - 1, nil
}

// versionNumber is a resourceVersion as the number that it is, zero for any other.
func versionNumber(text string) uint64 {
	n, _ := strconv.ParseUint(text, 10, 64) // zero, then
	return n
}

func unix(t *metav1.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

// size is how many bytes of an object are kept besides its content, about.
func (h head) size() int {
	m := h.Metadata
	n := len(h.APIVersion) + len(h.Kind) + len(m.Namespace) + len(m.Name) + len(m.UID) + len(h.InvolvedObject.UID)
	for _, finalizer := range m.Finalizers {
		n += 16 + len(finalizer)
	}
	for _, owner := range m.OwnerReferences {
		n += 64 + len(owner.Kind) + len(owner.Name) + len(owner.UID)
	}
	return n
}

// rareOf are the rare fields of an object. The objects of a list are sorted by their names, so that
// many have those of the object before them, and share them.
func (l *loader) rareOf(m headMetadata) *rareFields {
	if m.DeletionGracePeriodSeconds == nil && len(m.Finalizers) == 0 && len(m.OwnerReferences) == 0 {
		return nil
	}
	for i, finalizer := range m.Finalizers {
		m.Finalizers[i] = l.intern(finalizer)
	}
	for i, owner := range m.OwnerReferences {
		m.OwnerReferences[i].Kind = l.intern(owner.Kind)
	}
	o := stuck.ObjectOf(stuck.Type{}, metav1.ObjectMeta{Finalizers: m.Finalizers, OwnerReferences: m.OwnerReferences})
	rare := &rareFields{m.DeletionGracePeriodSeconds, slices.Clip(o.Finalizers), slices.Clip(o.Owners)}
	if !rare.equal(l.lastRare) {
		l.lastRare = rare
	}
	return l.lastRare
}

func (r *rareFields) equal(other *rareFields) bool {
	if other == nil || (r.gracePeriod == nil) != (other.gracePeriod == nil) || r.gracePeriod != nil && *r.gracePeriod != *other.gracePeriod {
		return false
	}
	return slices.Equal(r.finalizers, other.finalizers) && slices.Equal(r.owners, other.owners)
}

// noteTimes keeps the newest time that the API server itself wrote: other clocks may be wrong.
func (l *fileVisitor) noteTimes(m headMetadata) {
	f := &l.files[l.file]
	times := []metav1.Time{m.CreationTimestamp}
	for _, f := range m.ManagedFields {
		if f.Time != nil {
			times = append(times, *f.Time)
		}
	}
	for _, t := range times {
		f.newest = max(f.newest, unix(&t))
	}
	f.newestDeletion = max(f.newestDeletion, unix(m.DeletionTimestamp))
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

// isGroup reports whether an apiVersion is of a group.
func isGroup(apiVersion, group string) bool {
	return schema.FromAPIVersionAndKind(apiVersion, "").Group == group
}

// withoutSecrets is an object without what is never kept of a Secret. An object in a list that
// names no kind may be one.
func withoutSecrets(h head, raw []byte) ([]byte, error) {
	if h.Kind != "" && (h.Kind != "Secret" || !isGroup(h.APIVersion, "")) {
		return raw, nil
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, err
	}
	for _, name := range []string{"data", "stringData", "binaryData"} {
		delete(fields, name)
	}
	var m metav1.ObjectMeta
	if err := json.Unmarshal(fields["metadata"], &m); err != nil {
		return nil, err
	}
	delete(m.Annotations, corev1.LastAppliedConfigAnnotation)
	metadata, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	fields["metadata"] = metadata
	return json.Marshal(fields)
}
