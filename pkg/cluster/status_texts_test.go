package cluster_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// What controllers write beside the conditions is read, in whatever form, as far as it
// mentions a failure.
func TestStatusTexts(t *testing.T) {
	challenge := stuck.Object{
		Type: stuck.Type{Group: "acme.cert-manager.io", Version: "v1", Resource: "challenges", Kind: "Challenge", Namespaced: true}, Namespace: "shop", Name: "c",
	}
	const path = "/apis/acme.cert-manager.io/v1/namespaces/shop/challenges/c"
	const reason = `Error cleaning up challenge: error getting cloudflare secret: secrets "cloudflare-token" not found`
	for status, want := range map[string][]cluster.StatusText{
		`{"reason":"Error cleaning up challenge: error getting cloudflare secret: secrets \"cloudflare-token\" not found"}`: {{Field: "status.reason", Text: reason}},
		`{"message":"all is well","reason":"Ready","error":{"message":"cannot reach the DNS server"}}`:                      {{Field: "status.error", Text: "cannot reach the DNS server"}},
		`{"reason":{"code":7},"message":["failed"]}`:                                                                        nil,
		`"failed"`: nil,
	} {
		object := `{"kind":"Challenge","apiVersion":"acme.cert-manager.io/v1","metadata":{"namespace":"shop","name":"c","uid":"1"},"status":` + status + `}`
		view := fakeapi.Start(t, fakeapi.Responses{path: fakeapi.Respond(object)}).View(t, nil)
		got := view.StatusTexts(challenge)
		if diff := cmp.Diff(want, got.Items); diff != "" || !got.Complete {
			t.Errorf("%s: complete %v, gaps %v (-want +got):\n%s", status, got.Complete, view.Gaps(), diff)
		}
	}
}
