package story

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// serveWebhook is the webhook that a story asks for, until the context ends. It gives the environment in which a step
// finds its address, and the authority that signed its certificate. With an expired certificate nobody will listen to
// it.
func serveWebhook(ctx context.Context, handle http.HandlerFunc, expired bool) ([]string, error) {
	server := httptest.NewUnstartedServer(handle)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of those who hang up on a certificate, as they are meant to
	if expired {
		certificate, err := expiredCertificate()
		if err != nil {
			return nil, err
		}
		server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	}
	server.StartTLS()
	context.AfterFunc(ctx, func() {
		server.CloseClientConnections()
		server.Close()
	})
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return []string{"WEBHOOK_URL=" + server.URL, "WEBHOOK_CA=" + base64.StdEncoding.EncodeToString(authority)}, nil
}

// reviewAdmission is an admission webhook that denies everything in the same words, or with none of them allows it and
// applies the same JSON patch to it.
func reviewAdmission(words, patch string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var review admissionv1.AdmissionReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil || review.Request == nil {
			http.Error(w, "this is no admission review", http.StatusBadRequest)
			return
		}
		review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: words == ""}
		if words != "" {
			review.Response.Result = &metav1.Status{Code: http.StatusForbidden, Message: words}
		} else if review.Request.Object.Raw != nil {
			patchType := admissionv1.PatchTypeJSONPatch
			review.Response.PatchType, review.Response.Patch = &patchType, []byte(patch)
		}
		review.Request = nil
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(review) // whoever hangs up has heard enough
	}
}

// conversionReview is a question to a conversion webhook and its answer, in the part that is needed here
// (k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1).
type conversionReview struct {
	metav1.TypeMeta `json:",inline"`
	Request         *struct {
		UID               string                      `json:"uid"`
		DesiredAPIVersion string                      `json:"desiredAPIVersion"`
		Objects           []unstructured.Unstructured `json:"objects"`
	} `json:"request,omitempty"`
	Response *conversionResponse `json:"response,omitempty"`
}

type conversionResponse struct {
	UID              string                      `json:"uid"`
	ConvertedObjects []unstructured.Unstructured `json:"convertedObjects"`
	Result           metav1.Status               `json:"result"`
}

// reviewConversion is a conversion webhook that converts every object by its apiVersion alone, but refuses with the same
// words those that ask for it in an annotation.
func reviewConversion(words string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var review conversionReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil || review.Request == nil {
			http.Error(w, "this is no conversion review", http.StatusBadRequest)
			return
		}
		response := &conversionResponse{UID: review.Request.UID, Result: metav1.Status{Status: metav1.StatusSuccess}}
		for _, object := range review.Request.Objects {
			if object.GetAnnotations()["conversion.example.com/refuse"] != "" {
				response.ConvertedObjects, response.Result = nil, metav1.Status{Status: metav1.StatusFailure, Message: words}
				break
			}
			object.SetAPIVersion(review.Request.DesiredAPIVersion)
			response.ConvertedObjects = append(response.ConvertedObjects, object)
		}
		review.Request, review.Response = nil, response
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(review) // whoever hangs up has heard enough
	}
}

// expiredCertificate is a certificate for the loopback address that signed itself, and that nobody has renewed.
func expiredCertificate() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "webhook-ca"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	return tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: key}, err
}
