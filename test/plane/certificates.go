package plane

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"time"
)

// keyPair is a certificate with its key.
type keyPair struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// writeCertificates makes the authority that clients trust with the API server's certificate, the front proxy's
// authority with the certificate by which aggregated API servers know the API server, and the key of the tokens of
// service accounts.
func (p *Plane) writeCertificates() error {
	authority, err := p.issue("ca", authorityTemplate("plane"), nil)
	if err != nil {
		return err
	}
	serving := certificateTemplate("kube-apiserver", x509.ExtKeyUsageServerAuth)
	serving.DNSNames = []string{"localhost", "kubernetes.default.svc"}
	serving.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.ParseIP(serviceAddress)}
	if _, err := p.issue("apiserver", serving, authority); err != nil {
		return err
	}
	proxies, err := p.issue("front-proxy-ca", authorityTemplate("plane front proxy"), nil)
	if err != nil {
		return err
	}
	if _, err := p.issue("front-proxy-client", certificateTemplate("front-proxy-client", x509.ExtKeyUsageClientAuth), proxies); err != nil {
		return err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("making the key of service accounts: %w", err)
	}
	return p.writeKey("service-accounts", key)
}

func authorityTemplate(name string) *x509.Certificate {
	return &x509.Certificate{
		Subject:               pkix.Name{CommonName: name},
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		IsCA:                  true,
		BasicConstraintsValid: true,
	}
}

func certificateTemplate(name string, usage x509.ExtKeyUsage) *x509.Certificate {
	return &x509.Certificate{
		Subject:     pkix.Name{CommonName: name},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{usage},
	}
}

// issue writes a new key and its certificate, signed by the issuer or, without one, by itself.
func (p *Plane) issue(name string, template *x509.Certificate, issuer *keyPair) (*keyPair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making the key %s: %w", name, err)
	}
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.NotBefore = time.Now().Add(-time.Hour)
	template.NotAfter = time.Now().AddDate(1, 0, 0)
	if issuer == nil {
		issuer = &keyPair{certificate: template, key: key}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, issuer.certificate, key.Public(), issuer.key)
	if err != nil {
		return nil, fmt.Errorf("signing the certificate %s: %w", name, err)
	}
	if err := p.writePEM(name+".crt", "CERTIFICATE", der); err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("reading the certificate %s back: %w", name, err)
	}
	return &keyPair{certificate: certificate, key: key}, p.writeKey(name, key)
}

func (p *Plane) writeKey(name string, key *ecdsa.PrivateKey) error {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return fmt.Errorf("encoding the key %s: %w", name, err)
	}
	return p.writePEM(name+".key", "EC PRIVATE KEY", der)
}

func (p *Plane) writePEM(name, kind string, der []byte) error {
	return p.write(name, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// write writes a file of the plane's directory for its owner's eyes only.
func (p *Plane) write(name string, content []byte) error {
	if err := os.WriteFile(p.file(name), content, 0o600); err != nil {
		return fmt.Errorf("writing a file of the plane: %w", err)
	}
	return nil
}
