package preflight_test

import (
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/preflight"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

const boundClaim = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: shop, uid: c1, finalizers: [kubernetes.io/pvc-protection]}
status:
  phase: Bound
  conditions: [{type: Unused, status: "STATUS", reason: R, message: M, lastTransitionTime: "2026-03-01T02:00:00Z"}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, uid: d1}`

// Where Pods cannot be read the claim's condition says that one uses it, and never that none does. A Pod that is deleted
// too may be that one.
func TestClaimCondition(t *testing.T) {
	claims := cluster.PersistentVolumeClaimType
	claims.Listable = true
	deployments := cluster.DeploymentType
	deployments.Listable = true
	for _, test := range []struct {
		status, unreadable string
		refs               []string
		want               preflight.Outcome
	}{
		{"False", "pods", []string{"persistentvolumeclaim/data -n shop"}, preflight.GetsStuck},
		{"True", "pods", []string{"persistentvolumeclaim/data -n shop"}, preflight.Unknown},
		{"False", "pods", []string{"persistentvolumeclaim/data -n shop", "deployment/web -n shop"}, preflight.Unknown},
		{"False", "", []string{"persistentvolumeclaim/data -n shop"}, preflight.GoesThrough},
	} {
		s := newFakeSource(t, strings.ReplaceAll(boundClaim, "STATUS", test.status))
		s.unreadable = test.unreadable
		r := s.predict(t, []stuck.Type{claims, deployments}, test.refs...)
		if r.Outcome != test.want || r.Outcome == preflight.GetsStuck && r.Diagnoses[0].Findings[0].Cause != "claim-in-use" {
			t.Errorf("Unused=%s, without %q, %q: %s, %v", test.status, test.unreadable, test.refs, r.Outcome, r.Gaps)
		}
		if r.Outcome == preflight.GetsStuck && !strings.Contains(strings.Join(r.Diagnoses[0].Findings[0].Evidence, "\n"), "not scheduled") {
			t.Errorf("the evidence is %q", r.Diagnoses[0].Findings[0].Evidence)
		}
	}
}
