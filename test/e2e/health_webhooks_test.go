package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// webhookScene is a type that webhooks are asked about, with an object that is being deleted, and one that is to be converted.
const webhookScene = `
type() {
  cat <<END | kubectl create -f -
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.$1.health.example.com}
spec:
  group: $1.health.example.com
  scope: Namespaced
  names: {plural: things, singular: thing, kind: Thing}
  $2
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}
END
}
type hooks ''
type turned 'conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {service: {namespace: default, name: health-turner}}}}'
kubectl create -f - <<'END'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: certificates.cert-manager.io, annotations: {api-approved.kubernetes.io: unapproved}}
spec:
  group: cert-manager.io
  scope: Namespaced
  names: {plural: certificates, singular: certificate, kind: Certificate}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
END
kubectl wait crd --all --for=condition=Established --timeout=5m
kubectl create namespace health-hooks
printf '{"apiVersion":"hooks.health.example.com/v1","kind":"Thing","metadata":{"name":"it","namespace":"health-hooks","finalizers":["hooks.health.example.com/hold"]}}' | kubectl create -f -
kubectl delete -n health-hooks things.hooks.health.example.com/it --wait=false
hook() {
  cat <<END | kubectl create -f -
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: health-$1}
webhooks:
- name: $1.hooks.health.example.com
  clientConfig: {$2}
  failurePolicy: $3
  timeoutSeconds: 20
  rules: [{apiGroups: [hooks.health.example.com], apiVersions: ["*"], operations: [UPDATE], resources: [things]}]
  admissionReviewVersions: [v1]
  sideEffects: None
END
}
url='url: "https://hooks.example.invalid/", caBundle: '
hook missing 'service: {namespace: default, name: health-nobody}' Fail
hook ignored 'service: {namespace: default, name: health-nobody}' Ignore
hook expired "$url OLD" Fail
hook ending "$url SOON" Fail
hook fine "$url GOOD" Fail
hook renewed "$url BOTH" Fail
kubectl create -f - <<'END'
apiVersion: v1
kind: Namespace
metadata: {name: health-guard, labels: {guarded: "yes"}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: health-circle}
webhooks:
- name: circle.health.example.com
  clientConfig: {service: {namespace: health-guard, name: guard}}
  failurePolicy: Fail
  rules: [{apiGroups: [""], apiVersions: ["*"], operations: [CREATE], resources: [pods]}]
  namespaceSelector: {matchLabels: {guarded: "yes"}}
  admissionReviewVersions: [v1]
  sideEffects: None
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: health-lease-policy}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [coordination.k8s.io], apiVersions: ["*"], operations: [UPDATE], resources: [leases]}]}
  validations: [{expression: "true"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: health-lease-policy}
spec: {policyName: health-lease-policy, validationActions: [Deny]}
---
apiVersion: v1
kind: Service
metadata: {name: guard-ready, namespace: health-guard}
spec: {ports: [{port: 443}]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: health-self}
webhooks:
- name: self.health.example.com
  clientConfig: {service: {namespace: health-guard, name: guard-ready}}
  failurePolicy: Fail
  rules: [{apiGroups: [""], apiVersions: ["*"], operations: [CREATE], resources: [pods]}]
  namespaceSelector: {matchLabels: {guarded: "yes"}}
  admissionReviewVersions: [v1]
  sideEffects: None
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: health-careful}
webhooks:
- name: careful.health.example.com
  clientConfig: {url: "https://careful.example.invalid/"}
  failurePolicy: Fail
  rules: [{apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*/*"]}]
  namespaceSelector: {matchLabels: {guarded: "yes"}}
  admissionReviewVersions: [v1]
  sideEffects: None
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: health-leases}
webhooks:
- name: leases.health.example.com
  clientConfig: {url: "https://127.0.0.1:1/"}
  failurePolicy: Ignore
  timeoutSeconds: 5
  rules: [{apiGroups: [coordination.k8s.io], apiVersions: ["*"], operations: [UPDATE], resources: [leases]}]
  admissionReviewVersions: [v1]
  sideEffects: None
END
kubectl create -f - <<'END'
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: health-nodes}
webhooks:
- name: nodes.health.example.com
  clientConfig: {url: "https://127.0.0.1:1/"}
  failurePolicy: Fail
  rules: [{apiGroups: ["*"], apiVersions: ["*"], operations: [UPDATE], resources: [leases]}]
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: kube-node-lease}}
  admissionReviewVersions: [v1]
  sideEffects: None
END
certificate() {
  kubectl annotate validatingwebhookconfiguration $1 cert-manager.io/inject-ca-from=default/$2
  printf '{"apiVersion":"cert-manager.io/v1","kind":"Certificate","metadata":{"namespace":"default","name":"%s"},"status":{"notAfter":"%s","renewalTime":"%s"}}' $2 $3 $4 | kubectl create -f -
}
certificate health-renewed serving-ended 2026-01-02T00:00:00Z 2026-01-01T00:00:00Z
certificate health-fine serving-fine 2199-01-02T00:00:00Z 2199-01-01T00:00:00Z
until kubectl label -n health-hooks things.hooks.health.example.com/it tried=yes 2>&1 | grep -q 'missing.hooks.health'; do :; done
`

// TestHealthOfWebhooks finds the webhooks that cannot be called, without calling them.
func TestHealthOfWebhooks(t *testing.T) {
	t.Parallel()
	p := ownPlane(t)
	const day = 24 * time.Hour
	old, soon, good := caBundle(t, -2*day, -day), caBundle(t, -day, 5*day), caBundle(t, -day, 100*day)
	encode := base64.StdEncoding.EncodeToString
	runSetup(t, p, strings.NewReplacer("OLD", encode(old), "SOON", encode(soon), "GOOD", encode(good), "BOTH", encode(append(old, good...))).Replace(webhookScene))
	found := runHealth(t, p, plane.Admin, "--check", "webhooks")
	found.wantProblem(t, "webhooks", "health-missing", stuck.Unhealthy, "service/health-nobody -n default does not exist", "missing.hooks.health.example.com: called for UPDATE of things.hooks.health.example.com",
		"Thing it -n health-hooks", "a write may wait 20s",
		"calls of missing.hooks.health.example.com failed", "failurePolicy", "kubectl delete validatingwebhookconfiguration health-missing")
	found.wantProblem(t, "webhooks", "health-ignored", stuck.Warning, "failurePolicy is Ignore: writes succeed without validation")
	found.wantProblem(t, "webhooks", "health-expired", stuck.Unhealthy, "cannot be called", "CN=hooks", "expired at", "openssl x509 -noout -subject -dates")
	found.wantProblem(t, "webhooks", "health-ending", stuck.Warning, "expires in 4d", "after that the API server cannot call it")
	found.wantProblem(t, "webhooks", "things.turned.health.example.com", stuck.Unhealthy, "service/health-turner -n default does not exist", "kubectl -n default get service,endpointslices,pods")
	found.wantProblem(t, "webhooks", "health-circle", stuck.Unhealthy, "service/guard -n health-guard does not exist", "so a restart does not end the failure")
	found.wantProblem(t, "webhooks", "health-self", stuck.Warning, "is called for its own pods", "exclude namespace health-guard by a namespaceSelector")
	found.wantProblem(t, "webhooks", "health-leases", stuck.Warning, "can stop kube-controller-manager", "each of the updates of Leases in kube-system waits 5s")
	found.wantProblem(t, "webhooks", "health-nodes", stuck.Warning, "can make nodes NotReady: it is called for updates of the Leases of nodes", "kubelets cannot renew")
	found.wantProblem(t, "webhooks", "serving-ended", stuck.Warning, "certificate/serving-ended -n default, whose CA is in the caBundle of validatingwebhookconfiguration/health-renewed, expired ",
		"status.notAfter is 2026-01-02T00:00:00Z", "not read: the Secret of the Certificate")
	for _, f := range found.check(t, "webhooks").Problems {
		if slices.Contains([]string{"health-fine", "health-renewed", "health-careful", "serving-fine"}, f.Subject.Name) {
			t.Errorf("%s has a problem: %s", f.Subject.Name, f.Message)
		}
	}
	if details := strings.Join(found.check(t, "webhooks").Details, "; "); !strings.Contains(details, "updates of Leases in kube-system, which they can deny: validatingadmissionpolicy/health-lease-policy") {
		t.Errorf("the details are %s", details)
	}
	found.wantExplained(t, p, "write-webhook-down")
	if others := runHealth(t, p, plane.Admin, "configmaps", "--check", "webhooks"); others.State != stuck.Healthy {
		t.Errorf("with other types webhooks are %s: %+v", others.State, others.check(t, "webhooks").Problems)
	}
	turned := runHealth(t, p, plane.Admin, "things.turned.health.example.com", "--check", "webhooks")
	if problems := turned.check(t, "webhooks").Problems; len(problems) != 1 || problems[0].Reason != "conversion-webhook-unreachable" {
		t.Errorf("with one type the problems are %+v", problems)
	}
	if found.code != 2 {
		t.Errorf("it ends with %d", found.code)
	}
}

// caBundle is a caBundle that is good for a while around now.
func caBundle(t *testing.T, from, until time.Duration) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "hooks"}, NotBefore: now.Add(from), NotAfter: now.Add(until), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}
