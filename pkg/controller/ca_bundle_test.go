package controller_test

import (
	"bytes"
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

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// newCACertificate is the certificate of one, good for a while around now.
func newCACertificate(t *testing.T, name string, from, until time.Duration) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: certificateTime.Add(from), NotAfter: certificateTime.Add(until)}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

var certificateTime = time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)

func TestTrustIn(t *testing.T) {
	const hour = time.Hour
	old, good := newCACertificate(t, "old", -2*hour, -hour), newCACertificate(t, "good", -hour, hour)
	later, young := newCACertificate(t, "later", -hour, 3*hour), newCACertificate(t, "young", hour, 2*hour)
	broken := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("x")})
	tests := map[string]struct {
		bundle []byte
		// until is how long it is good for, says how many lines there are to it.
		until time.Duration
		says  int
		word  string
	}{
		"none":                    {},
		"one that is over":        {bundle: old, says: 1, word: "expired at 2026-03-01T02:00:00Z"},
		"one that is good":        {bundle: good, until: hour, says: 1, word: "until 2026-03-01T04:00:00Z"},
		"one yet to come":         {bundle: young, says: 1, word: "is not valid before 2026-03-01T04:00:00Z"},
		"the new beside the old":  {bundle: joinPEM(old, later, good), until: 3 * hour, says: 3},
		"text before and between": {bundle: joinPEM([]byte("# the authority\n"), good, []byte("# end\n")), until: hour, says: 1},
		"a broken one beside it":  {bundle: joinPEM(broken, good), until: hour, says: 2, word: "no certificate"},
		"no certificate at all":   {bundle: []byte("TODO"), says: 1, word: "holds no certificate"},
	}
	view := cluster.NewView(t.Context(), (&recording.Recording{Time: certificateTime}).Source(nil), nil, nil)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := backend.ReadCABundle(view, test.bundle)
			want := time.Time{}
			if test.until > 0 {
				want = certificateTime.Add(test.until)
			}
			if !got.ValidUntil.Equal(want) || len(got.Evidence) != test.says || !strings.Contains(strings.Join(got.Evidence, "\n"), test.word) {
				t.Errorf("it is good until %s: %q", got.ValidUntil, got.Evidence)
			}
		})
	}
}

func joinPEM(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
