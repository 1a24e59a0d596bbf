package cluster

import (
	"encoding/json"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Manager is who wrote a part of an object, as managedFields names it.
type Manager struct {
	Name string
	// At is when it last wrote anything of the object, zero where the server
	// did not say.
	At time.Time
}

// SetBy are the field managers that set a finalizer of an object. None means
// nothing: managedFields may be absent, stripped or malformed.
func (v *View) SetBy(o stuck.Object, finalizer string) []Manager {
	return v.wrote(o, func(entry metav1.ManagedFieldsEntry) bool {
		return slices.Contains(managedFinalizers(entry), finalizer)
	})
}

// WroteStatus are the field managers that wrote the status of an object.
func (v *View) WroteStatus(o stuck.Object) []Manager {
	return v.wrote(o, func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Subresource == "status" || writtenFields(entry).Status != nil
	})
}

func (v *View) wrote(o stuck.Object, what func(metav1.ManagedFieldsEntry) bool) []Manager {
	m := v.MetadataOf(o)
	if !m.Found() || m.Value.UID != o.UID {
		return nil
	}
	var managers []Manager
	for _, entry := range m.Value.ManagedFields {
		if !what(entry) {
			continue
		}
		manager := Manager{Name: entry.Manager}
		if entry.Time != nil {
			manager.At = entry.Time.Time
		}
		managers = append(managers, manager)
	}
	return managers
}

// fields are the parts of managedFields that are of interest.
type fields struct {
	Metadata struct {
		Finalizers map[string]any `json:"f:finalizers"`
	} `json:"f:metadata"`
	Status any `json:"f:status"`
}

// writtenFields are none where the entry cannot be read.
func writtenFields(entry metav1.ManagedFieldsEntry) fields {
	var f fields
	if entry.FieldsV1 == nil || json.Unmarshal(entry.FieldsV1.GetRawBytes(), &f) != nil {
		return fields{}
	}
	return f
}

// managedFinalizers are the finalizers that an entry of managedFields lists.
// They stand there as keys of a set: {"f:metadata":{"f:finalizers":{"v:\"name\"":{}}}}.
func managedFinalizers(entry metav1.ManagedFieldsEntry) []string {
	var names []string
	for key := range writtenFields(entry).Metadata.Finalizers {
		var name string
		if len(key) > 2 && key[:2] == "v:" && json.Unmarshal([]byte(key[2:]), &name) == nil {
			names = append(names, name)
		}
	}
	return names
}
