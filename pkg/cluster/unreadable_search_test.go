package cluster_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// undecodable answers as Kubernetes 1.34.4 does: without saying which object.
func undecodable(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusInternalServerError)
	fakeapi.RespondJSON(metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
		Code: http.StatusInternalServerError, Message: "proto: wrong wireType = 7 for field TypeMeta",
	})(w, nil)
}

func TestUnreadIsFoundByWhoSpeaksOfIt(t *testing.T) {
	const shelf = "/api/v1/namespaces/shelf/"
	lines := fakeapi.Responses{
		"/api/v1/namespaces":                  fakeapi.RespondList(fakeapi.Object("", "attic", fakeapi.NotDeleting), fakeapi.Object("", "shelf", fakeapi.NotDeleting)),
		"/api/v1/namespaces/attic/configmaps": fakeapi.RespondList(fakeapi.Object("attic", "fine", fakeapi.NotDeleting)),
		shelf + "configmaps":                  undecodable,
		shelf + "configmaps/prices":           undecodable,
		shelf + "configmaps/menu":             fakeapi.RespondJSON(fakeapi.Object("shelf", "menu", fakeapi.NotDeleting)),
		shelf + "events": fakeapi.Respond(`{"kind":"EventList","apiVersion":"v1","items":[
			{"kind":"Event","apiVersion":"v1","involvedObject":{"kind":"ConfigMap","name":"menu"}}]}`),
		shelf + "pods": fakeapi.Respond(`{"kind":"PodList","apiVersion":"v1","items":[{"kind":"Pod","apiVersion":"v1","metadata":{"name":"shop"},
			"spec":{"containers":[{"name":"shop","envFrom":[{"configMapRef":{"name":"prices"}},{"secretRef":{"name":"tls"}}]}],
			"volumes":[{"name":"v","configMap":{"name":"missing"}}]}}]}`),
		shelf + "configmaps/missing": fakeapi.RespondStatus(http.StatusNotFound, metav1.StatusReasonNotFound),
	}
	configMap := stuck.Type{Version: "v1", Resource: "configmaps", Kind: "ConfigMap", Namespaced: true, Listable: true}
	for _, namespace := range []string{"shelf", ""} {
		s := fakeapi.Start(t, lines)
		found := s.View(t, nil, configMap, fakeapi.Pod).UnreadableObjects(configMap, namespace)
		if diff := cmp.Diff([]string{"prices"}, fakeapi.Names(found)); diff != "" || found[0].Namespace != "shelf" {
			t.Errorf("in namespace %q (-want +got):\n%s", namespace, diff)
		}
		if slices.Contains(s.Requests(), shelf+"configmaps/tls") {
			t.Error("the name of a secret was tried for a configmap's")
		}
	}
}
