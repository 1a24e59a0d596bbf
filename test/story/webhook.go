package story

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// serveDenial is an admission webhook that denies everything with the same words until the context ends. It gives the
// environment in which a step finds its address, and the authority that signed its certificate.
func serveDenial(ctx context.Context, words string) []string {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review admissionv1.AdmissionReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil || review.Request == nil {
			http.Error(w, "this is no admission review", http.StatusBadRequest)
			return
		}
		review.Response = &admissionv1.AdmissionResponse{
			UID:    review.Request.UID,
			Result: &metav1.Status{Code: http.StatusForbidden, Message: words},
		}
		review.Request = nil
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(review) // whoever hangs up has heard enough
	}))
	context.AfterFunc(ctx, func() {
		server.CloseClientConnections()
		server.Close()
	})
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return []string{"WEBHOOK_URL=" + server.URL, "WEBHOOK_CA=" + base64.StdEncoding.EncodeToString(authority)}
}
