package preflight_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/preflight"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

const credentialsScene = `{apiVersion: v1, kind: Namespace, metadata: {name: shop, uid: n1}}
---
{apiVersion: v1, kind: Secret, metadata: {name: cloudflare, namespace: shop, uid: s1, ownerReferences: [OWNER]}}
---
{apiVersion: v1, kind: Secret, metadata: {name: other, namespace: shop, uid: s2}}
---
apiVersion: acme.cert-manager.io/v1
kind: Challenge
metadata: {name: shop-tls, namespace: shop, uid: c1, finalizers: [acme.cert-manager.io/finalizer]}
spec: {issuerRef: {kind: Issuer}, solver: {dns01: {cloudflare: {apiTokenSecretRef: {name: cloudflare, key: token}}}}}
---
apiVersion: acme.cert-manager.io/v1
kind: Challenge
metadata: {name: lost, namespace: shop, uid: c2, finalizers: [acme.cert-manager.io/finalizer]}
spec: {issuerRef: {kind: Issuer}, solver: {dns01: {cloudflare: {apiTokenSecretRef: {name: absent, key: token}}}}}`

// The credentials of an object that is not deleted are deleted, unless a controller recreates them. What does not exist now
// is not lost.
func TestLostCredentials(t *testing.T) {
	secrets := cluster.SecretType
	secrets.Listable = true
	types := append(servedTypes(), secrets, stuck.Type{Group: "acme.cert-manager.io", Version: "v1", Resource: "challenges", Kind: "Challenge", Namespaced: true, Listable: true})
	for _, test := range []struct {
		owner, unreadable, target string
		outcome                   preflight.Outcome
		want                      []string
	}{
		{"", "", "secret/cloudflare -n shop", preflight.OthersGetStuck, []string{"[1 challenge.acme.cert-manager.io] [shop] secret/cloudflare -n shop is deleted"}},
		{"{apiVersion: external-secrets.io/v1, kind: ExternalSecret, name: e, uid: e1, controller: true}", "", "secret/cloudflare -n shop", preflight.GoesThrough, nil},
		{"", "", "secret/other -n shop", preflight.GoesThrough, nil},
		{"", "challenges", "secret/cloudflare -n shop", preflight.Unknown, nil},
	} {
		s := newFakeSource(t, strings.ReplaceAll(credentialsScene, "OWNER", test.owner))
		s.unreadable = test.unreadable
		r := s.predict(t, types, test.target)
		if r.Outcome != test.outcome || !slices.Equal(lines(r.Others), test.want) {
			t.Errorf("%+v: %s, %q, %v", test, r.Outcome, lines(r.Others), r.Gaps)
		}
	}
}

// An object may need the credentials of another namespace, which is deleted as a whole or not.
func TestLostCredentialsElsewhere(t *testing.T) {
	secrets := cluster.SecretType
	secrets.Listable = true
	types := append(servedTypes(), secrets, stuck.Type{Group: "infrastructure.cluster.x-k8s.io", Version: "v1alpha1", Resource: "proxmoxclusters", Kind: "ProxmoxCluster", Namespaced: true, Listable: true})
	const scene = `{apiVersion: v1, kind: Namespace, metadata: {name: creds, uid: n1}}
---
{apiVersion: v1, kind: Secret, metadata: {name: pve, namespace: creds, uid: s1}}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1alpha1
kind: ProxmoxCluster
metadata: {name: prod, namespace: team, uid: c1, finalizers: [proxmoxcluster.infrastructure.cluster.x-k8s.io]}
spec: {credentialsRef: {name: pve, namespace: creds}}`
	want := []string{"[1 proxmoxcluster.infrastructure.cluster.x-k8s.io] [team] secret/pve -n creds is deleted"}
	for _, target := range []string{"secret/pve -n creds", "namespace/creds"} {
		if r := newFakeSource(t, scene).predict(t, types, target); r.Outcome != preflight.OthersGetStuck || !slices.Equal(lines(r.Others), want) {
			t.Errorf("%s: %s, %q, %v", target, r.Outcome, lines(r.Others), r.Gaps)
		}
	}
	s := newFakeSource(t, scene)
	s.unreadable = "proxmoxclusters"
	if r := s.predict(t, types, "secret/pve -n creds"); r.Outcome != preflight.Unknown {
		t.Errorf("without ProxmoxClusters: %s, %q, %v", r.Outcome, lines(r.Others), r.Gaps)
	}
}

// What is needed has a finalizer of its own, whose controller runs: whether that waits is not known.
func TestNeedWithFinalizer(t *testing.T) {
	secrets := cluster.SecretType
	secrets.Listable = true
	types := append(servedTypes(), secrets, stuck.Type{Group: "acme.cert-manager.io", Version: "v1", Resource: "challenges", Kind: "Challenge", Namespaced: true, Listable: true})
	scene := strings.ReplaceAll(strings.ReplaceAll(credentialsScene, "uid: s1", "uid: s1, finalizers: [example.com/hold]"), "OWNER", "")
	r := newFakeSource(t, scene).predict(t, types, "secret/cloudflare -n shop")
	const want = "whether secret/cloudflare -n shop exists for as long as challenge.acme.cert-manager.io/shop-tls -n shop needs it"
	if len(r.Others) > 0 || !slices.ContainsFunc(r.Gaps, func(g stuck.Gap) bool { return g.Source == want }) {
		t.Errorf("%s, %q, %v", r.Outcome, lines(r.Others), r.Gaps)
	}
}
