package health

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// An authority that ends soon or has ended is a warning, also while an open connection keeps the APIService available. One
// that is not used says nothing.
func TestEndingCertificateOfAnAPIService(t *testing.T) {
	const day = 24 * time.Hour
	for name, test := range map[string]struct {
		left     time.Duration
		insecure bool
		want     string
	}{
		"soon":           {left: 3 * day, want: "expires in 3d"},
		"later":          {left: 60 * day},
		"it has ended":   {left: -day, want: "is available, but no certificate in its caBundle is valid"},
		"it is not used": {left: 3 * day, insecure: true},
	} {
		s := cluster.APIService{}
		s.Name, s.Spec.Service, s.Spec.InsecureSkipTLSVerify = "v1.meters.example.com", &cluster.ServiceReference{Namespace: "ops", Name: "meters"}, test.insecure
		s.Spec.CABundle = authorityUntil(t, now.Add(test.left))
		problem, found := newRecordedChecker(t).endingCertificate(s)
		if found != (test.want != "") || !strings.Contains(problem.Message, test.want) {
			t.Errorf("%s: %t, %q", name, found, problem.Message)
		}
	}
}

func authorityUntil(t *testing.T, end time.Time) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "meters"}, NotBefore: now.AddDate(-1, 0, 0), NotAfter: end, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}
