package cluster

import (
	"encoding/json"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// FieldManager is who wrote a part of an object, as managedFields names it.
type FieldManager struct {
	Name string
	// LastWrite is when it last wrote anything of the object, zero where the server
	// did not say.
	LastWrite time.Time
}

// FinalizerManagers are the field managers that set a finalizer of an object. None means
// nothing: managedFields may be absent, stripped or malformed.
func (v *View) FinalizerManagers(o stuck.Object, finalizer string) []FieldManager {
	return v.fieldManagers(o, func(w writer) bool { return w.finalizers[finalizer] })
}

// OtherFinalizerManagers are the field managers that set another finalizer of an object than this one. managedFields name
// only what the object still has (sigs.k8s.io/structured-merge-diff/merge/update.go).
func (v *View) OtherFinalizerManagers(o stuck.Object, finalizer string) []FieldManager {
	return v.fieldManagers(o, func(w writer) bool {
		return len(w.finalizers) > 1 || len(w.finalizers) == 1 && !w.finalizers[finalizer]
	})
}

// StatusManagers are the field managers that wrote the status of an object.
func (v *View) StatusManagers(o stuck.Object) []FieldManager {
	return v.fieldManagers(o, func(w writer) bool { return w.status })
}

func (v *View) fieldManagers(o stuck.Object, matches func(writer) bool) []FieldManager {
	m := v.MetadataOf(o)
	if !m.Found() || m.Value.UID != o.UID {
		return nil
	}
	// An object may have thousands of finalizers, and each of them asks.
	key := fmt.Sprintf("writers of %s %s/%s %s %s", o.Type, o.Namespace, o.Name, o.UID, m.Value.ResourceVersion)
	var managers []FieldManager
	for _, w := range memoize(v, key, func() []writer { return writersOf(m.Value.ManagedFields) }) {
		if matches(w) {
			managers = append(managers, w.FieldManager)
		}
	}
	return managers
}

// writer is what an entry of managedFields says of its field manager.
type writer struct {
	FieldManager
	// finalizers are those that it set.
	finalizers map[string]bool
	// status says that it wrote the status.
	status bool
}

func writersOf(entries []metav1.ManagedFieldsEntry) []writer {
	var out []writer
	for _, entry := range entries {
		fields := parseFieldsV1(entry)
		set := fields.finalizers()
		w := writer{FieldManager: FieldManager{Name: entry.Manager}, finalizers: make(map[string]bool, len(set)), status: entry.Subresource == "status" || fields.Status != nil}
		if entry.Time != nil {
			w.LastWrite = entry.Time.Time
		}
		for _, name := range set {
			w.finalizers[name] = true
		}
		out = append(out, w)
	}
	return out
}

// fieldsV1 are the parts of managedFields that are of interest.
type fieldsV1 struct {
	Metadata struct {
		Finalizers map[string]any `json:"f:finalizers"`
	} `json:"f:metadata"`
	Status any `json:"f:status"`
}

// parseFieldsV1 are none where the entry cannot be read.
func parseFieldsV1(entry metav1.ManagedFieldsEntry) fieldsV1 {
	var f fieldsV1
	if entry.FieldsV1 == nil || json.Unmarshal(entry.FieldsV1.GetRawBytes(), &f) != nil {
		return fieldsV1{}
	}
	return f
}

// finalizers are the finalizers that an entry of managedFields lists.
// They stand there as keys of a set: {"f:metadata":{"f:finalizers":{"v:\"name\"":{}}}}.
func (f fieldsV1) finalizers() []string {
	var names []string
	for key := range f.Metadata.Finalizers {
		var name string
		if len(key) > 2 && key[:2] == "v:" && json.Unmarshal([]byte(key[2:]), &name) == nil {
			names = append(names, name)
		}
	}
	return names
}
