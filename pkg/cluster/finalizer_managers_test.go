package cluster_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func managed(entries ...metav1.ManagedFieldsEntry) func(*metav1.PartialObjectMetadata) {
	return func(m *metav1.PartialObjectMetadata) { m.ManagedFields = entries }
}

func TestWhoSetAFinalizer(t *testing.T) {
	const path = shopWidgetsPath + "/w1"
	at := metav1.NewTime(fakeapi.Now)
	fields := metav1.NewFieldsV1(`{"f:metadata":{"f:finalizers":{"v:\"example.com/cleanup\"":{}}}}`)
	tests := map[string]struct {
		answer http.HandlerFunc
		want   []cluster.FieldManager
		gaps   int
	}{
		"its managers, with the time where it is known": {
			answer: fakeapi.RespondJSON(fakeapi.Object("shop", "w1", managed(
				metav1.ManagedFieldsEntry{Manager: "operator", Time: &at, FieldsV1: fields},
				metav1.ManagedFieldsEntry{Manager: "somebody else", FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{}}}`)},
				metav1.ManagedFieldsEntry{Manager: "script", FieldsV1: fields},
			))),
			want: []cluster.FieldManager{{Name: "operator", LastWrite: fakeapi.Now}, {Name: "script"}},
		},
		"managedFields that were stripped": {answer: fakeapi.RespondJSON(fakeapi.Object("shop", "w1"))},
		"managedFields that are malformed": {
			answer: fakeapi.RespondJSON(fakeapi.Object("shop", "w1", managed(
				metav1.ManagedFieldsEntry{Manager: "operator"},
				metav1.ManagedFieldsEntry{Manager: "operator", FieldsV1: metav1.NewFieldsV1(`{"f:metadata":"all of it"}`)},
			))),
		},
		"another object of the same name": {
			answer: fakeapi.RespondJSON(fakeapi.Object("shop", "w1", func(m *metav1.PartialObjectMetadata) { m.UID = "another" },
				managed(metav1.ManagedFieldsEntry{Manager: "operator", FieldsV1: fields}))),
		},
		"nobody may look": {answer: fakeapi.RespondStatus(http.StatusForbidden, metav1.StatusReasonForbidden), gaps: 1},
		"it is gone":      {answer: fakeapi.RespondStatus(http.StatusNotFound, metav1.StatusReasonNotFound)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			view := fakeapi.Start(t, fakeapi.Responses{path: test.answer}).View(t, nil, fakeapi.Widget)
			m := fakeapi.Object("shop", "w1")
			got := view.FinalizerManagers(stuck.ObjectOf(fakeapi.Widget, m.ObjectMeta), "example.com/cleanup")
			for i := range got {
				got[i].LastWrite = got[i].LastWrite.UTC()
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("managers (-want +got):\n%s", diff)
			}
			if len(view.Gaps()) != test.gaps {
				t.Errorf("gaps: %v", view.Gaps())
			}
		})
	}
}
