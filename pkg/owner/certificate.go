package owner

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"strings"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// Certificate says what is known of a certificate that is not accepted: by
// which authority it should have been signed, and whether that one is still
// good. Without a caBundle the API server trusts those of its machine.
func Certificate(see *cluster.View, hook cluster.Webhook, says string) []string {
	if !strings.Contains(says, "x509: ") {
		return nil
	}
	if lines := TrustIn(see, hook.CABundle).Says; len(lines) > 0 {
		return lines
	}
	return []string{"it has no caBundle, so the API server trusts only the authorities of its own machine"}
}

// Trust is what a caBundle makes the API server trust.
type Trust struct {
	// Until is when the last of its certificates that are valid now ends, zero
	// where none is.
	Until time.Time
	// Says describes each certificate.
	Says []string
}

// TrustIn reads a caBundle. What is no certificate is passed over, as the API
// server does (crypto/x509 CertPool.AppendCertsFromPEM).
func TrustIn(see *cluster.View, bundle []byte) Trust {
	t := Trust{}
	for block, rest := pem.Decode(bundle); block != nil; block, rest = pem.Decode(rest) {
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			t.Says = append(t.Says, "its caBundle holds something that is no certificate: "+err.Error())
			continue
		}
		state, when := "is valid until", c.NotAfter
		switch {
		case see.Now().After(c.NotAfter):
			state = "expired at"
		case see.Now().Before(c.NotBefore):
			state, when = "is not valid before", c.NotBefore
		case c.NotAfter.After(t.Until):
			t.Until = c.NotAfter
		}
		t.Says = append(t.Says, fmt.Sprintf("its caBundle trusts %s, which %s %s", c.Subject, state, when.UTC().Format(time.RFC3339)))
	}
	if len(bundle) > 0 && len(t.Says) == 0 {
		t.Says = []string{"its caBundle holds no certificate"}
	}
	return t
}
