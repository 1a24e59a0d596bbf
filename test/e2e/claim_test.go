package e2e

import (
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// claimScene is a claim that three Pods of a Deployment use, and one that a Pod which has come to its end does.
const claimScene = `
kubectl create namespace claims
kubectl -n claims apply -f - <<'END'
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, volumeName: claims-data, storageClassName: ""}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: claims-data}
spec: {accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}, hostPath: {path: /data}, claimRef: {namespace: claims, name: data}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: c, image: registry.example.com/x}]
      volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]
END
kubectl -n claims rollout status deployment/web --timeout=5m
kubectl -n claims delete pvc data --wait=false
`

// TestClaimIsFreed does what explain says, and the claim goes.
func TestClaimIsFreed(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, claimScene)
	out, errOut, _ := kubectl(t, p, plane.Admin, "finalizers", "explain", "pvc/data", "-n", "claims")
	_, advice, found := strings.Cut(out, "\n  a) ")
	if !found {
		t.Fatalf("it says nothing to do:\n%s%s", out, errOut)
	}
	advice, _, _ = strings.Cut(advice, "\n\n")
	_, step, _ := strings.Cut(advice, ": ")
	want := "scale down deployment/web, which would recreate the pod\n  kubectl -n claims scale deployment web --replicas=0"
	if step != want {
		t.Fatalf("it says:\n%s\nwant:\n%s", step, want)
	}
	_, command, _ := strings.Cut(step, "\n  ")
	runSetup(t, p, command+"\nkubectl -n claims wait pvc/data --for=delete --timeout=5m")
}
