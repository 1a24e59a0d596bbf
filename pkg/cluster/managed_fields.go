package cluster

import (
	"encoding/json"
	"slices"
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
	return v.fieldManagers(o, func(entry metav1.ManagedFieldsEntry) bool {
		return slices.Contains(managedFinalizers(entry), finalizer)
	})
}

// StatusManagers are the field managers that wrote the status of an object.
func (v *View) StatusManagers(o stuck.Object) []FieldManager {
	return v.fieldManagers(o, func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Subresource == "status" || parseFieldsV1(entry).Status != nil
	})
}

func (v *View) fieldManagers(o stuck.Object, matches func(metav1.ManagedFieldsEntry) bool) []FieldManager {
	m := v.MetadataOf(o)
	if !m.Found() || m.Value.UID != o.UID {
		return nil
	}
	var managers []FieldManager
	for _, entry := range m.Value.ManagedFields {
		if !matches(entry) {
			continue
		}
		manager := FieldManager{Name: entry.Manager}
		if entry.Time != nil {
			manager.LastWrite = entry.Time.Time
		}
		managers = append(managers, manager)
	}
	return managers
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

// managedFinalizers are the finalizers that an entry of managedFields lists.
// They stand there as keys of a set: {"f:metadata":{"f:finalizers":{"v:\"name\"":{}}}}.
func managedFinalizers(entry metav1.ManagedFieldsEntry) []string {
	var names []string
	for key := range parseFieldsV1(entry).Metadata.Finalizers {
		var name string
		if len(key) > 2 && key[:2] == "v:" && json.Unmarshal([]byte(key[2:]), &name) == nil {
			names = append(names, name)
		}
	}
	return names
}
