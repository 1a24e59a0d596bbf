package e2e

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestRemovalDeniedByWebhook meets a webhook that denies the second write of three, and that one alone.
func TestRemovalDeniedByWebhook(t *testing.T) {
	t.Parallel()
	var meant atomic.Int64
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review admissionv1.AdmissionReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if review.Request.DryRun == nil || !*review.Request.DryRun {
			meant.Add(1)
		}
		review.Response = &admissionv1.AdmissionResponse{
			UID: review.Request.UID, Allowed: review.Request.Name != "b",
			Result: &metav1.Status{Message: "b is under legal hold", Code: http.StatusForbidden},
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(review) // whoever hangs up has heard enough
	}))
	t.Cleanup(server.Close)
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	s := newRemoval(t, sharedPlane(t), "webhook", "URL="+server.URL+" CA="+base64.StdEncoding.EncodeToString(ca)+`
crates a b c
cat <<END | kubectl create -f -
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: $N}
webhooks:
- name: hold.example.com
  clientConfig: {url: "$URL/", caBundle: $CA}
  rules: [{apiGroups: [$G], apiVersions: ["*"], operations: [UPDATE], resources: [crates]}]
  admissionReviewVersions: [v1]
  sideEffects: None
END
until kubectl label -n $N crates.$G b tried=yes --dry-run=server 2>&1 | grep -q 'legal hold'; do :; done
kubectl delete -n $N crates.$G --all --wait=false
`)
	defer s.runScript(t, "kubectl delete validatingwebhookconfiguration $N") // others need not wait for it
	before, mark := meant.Load(), s.mark(t)
	args := []string{s.crate("a"), s.crate("b"), s.crate("c"), "-n", s.namespace, "--accept-leaks", "--yes"}
	out, _, code := s.remove(t, args...)
	wantOutput(t, code, 3, out, "Blocked: ", "--override-verdict")
	out, errOut, code := s.remove(t, append(args, "--override-verdict")...)
	wantOutput(t, code, 3, out+errOut, "nothing was changed", "admission webhook hold.example.com denied the request: b is under legal hold")
	s.wantNoWrites(t, mark)
	if n := meant.Load() - before; n != 0 {
		t.Errorf("the webhook was asked for %d writes that were meant", n)
	}
}
