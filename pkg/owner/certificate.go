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
	var lines []string
	for block, rest := pem.Decode(hook.CABundle); block != nil; block, rest = pem.Decode(rest) {
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			lines = append(lines, "its caBundle holds something that is no certificate: "+err.Error())
			continue
		}
		state := "is valid until"
		if see.Now().After(c.NotAfter) {
			state = "expired at"
		}
		lines = append(lines, fmt.Sprintf("its caBundle trusts %s, which %s %s", c.Subject, state, c.NotAfter.UTC().Format(time.RFC3339)))
	}
	if len(lines) == 0 {
		lines = []string{"it has no caBundle, so the API server trusts only the authorities of its own machine"}
	}
	return lines
}
