package backend

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
)

// CertificateEvidence says what is known of a certificate that is not accepted: by
// which authority it should have been signed, and whether that one is still
// good. Without a caBundle the API server trusts those of its machine.
func CertificateEvidence(view *cluster.View, hook Webhook, says string) []string {
	if _, ok := apitext.CertificateError(says); !ok {
		return nil
	}
	if lines := ReadCABundle(view, hook.CABundle).Evidence; len(lines) > 0 {
		return lines
	}
	return []string{"the webhook has no caBundle: the API server trusts only the CAs of its own machine"}
}

// CABundle is what a caBundle makes the API server trust.
type CABundle struct {
	// ValidUntil is when the last of its certificates that are valid now ends, zero
	// where none is.
	ValidUntil time.Time
	// Evidence describes each certificate.
	Evidence []string
}

// ReadCABundle reads a caBundle. What is no certificate is passed over, as the API
// server does (crypto/x509 CertPool.AppendCertsFromPEM).
func ReadCABundle(view *cluster.View, bundle []byte) CABundle {
	t := CABundle{}
	for block, rest := pem.Decode(bundle); block != nil; block, rest = pem.Decode(rest) {
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			t.Evidence = append(t.Evidence, "the caBundle holds something that is no certificate: "+err.Error())
			continue
		}
		state, when := "is valid until", c.NotAfter
		switch {
		case view.Now().After(c.NotAfter):
			state = "expired at"
		case view.Now().Before(c.NotBefore):
			state, when = "is not valid before", c.NotBefore
		case c.NotAfter.After(t.ValidUntil):
			t.ValidUntil = c.NotAfter
		}
		t.Evidence = append(t.Evidence, fmt.Sprintf("the caBundle trusts %s, which %s %s", c.Subject, state, when.UTC().Format(time.RFC3339)))
	}
	if len(bundle) > 0 && len(t.Evidence) == 0 {
		t.Evidence = []string{"the caBundle holds no certificate"}
	}
	return t
}
