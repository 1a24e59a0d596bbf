package e2e

import (
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ambiguousControllerScenes are those in which several could be the controller, or seem to be.
var ambiguousControllerScenes = []controllerScene{
	{
		name: "rival-is-down", around: deploymentManifest("op", "") + deploymentManifest("rival", "") + writeAccess(serviceAccountManifest("op")+", "+serviceAccountManifest("rival")),
		before: `kubectl -n NAME-system scale deployment/rival --replicas=0
kubectl -n NAME-system wait pods -l app=rival --for=delete --timeout=5m`,
		want: wantExplanation{
			verdict: stuck.Blocked, causes: []string{"controller-not-watching", "controller-scaled-to-zero"},
			owners:   []string{"Deployment NAME-system/op", "Deployment NAME-system/rival"},
			evidence: []string{"deployment/rival may be the controller: it may write things.NAME.example.org"},
		},
	},
	{
		name: "rival-is-a-copy", manager: "op", around: deploymentManifest("op", "") + strings.NewReplacer("NAME-system", "NAME-another", "replicas: 1", "replicas: 0").Replace(`
apiVersion: v1
kind: Namespace
metadata: {name: NAME-system}
---
`+deploymentManifest("op", "")) + writeAccess(serviceAccountManifest("op")+", {kind: ServiceAccount, namespace: NAME-another, name: op}"),
		want: wantExplanation{
			verdict: stuck.Blocked, causes: []string{"controller-not-watching", "controller-scaled-to-zero"},
			owners:   []string{"Deployment NAME-system/op", "Deployment NAME-another/op"}, // the one that runs comes first
			evidence: []string{"deployment/op -n NAME-system may be the controller: it may write things", "deployment/op -n NAME-another may be the controller: it may write things"},
		},
	},
	{
		name: "rival-complains", around: deploymentManifest("op", "") + writeAccess(serviceAccountManifest("op")),
		rest: `uid=$(kubectl -n NAME-objects get things.NAME.example.org it -o jsonpath='{.metadata.uid}')
now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
kubectl create -f - <<END
{apiVersion: v1, kind: Event, metadata: {name: fails, namespace: NAME-objects}, type: Warning, reason: Fails, message: access denied,
 involvedObject: {apiVersion: NAME.example.org/v1, kind: Thing, namespace: NAME-objects, name: it, uid: $uid}, lastTimestamp: $now, count: 2}
END`,
		want: wantExplanation{
			verdict: stuck.Blocked, causes: []string{"controller-retrying"}, owners: []string{"Deployment NAME-system/op"},
			evidence: []string{"event Fails (2 times): access denied"},
		},
	},
	{
		name: "rival-set-another", manager: "NAME-a", around: deploymentManifest("NAME-a", "") + writeAccess(serviceAccountManifest("NAME-a")),
		before: `kubectl apply --server-side --field-manager=NAME-b -f - <<'END'
{apiVersion: NAME.example.org/v1, kind: Thing, metadata: {name: it, namespace: NAME-objects, finalizers: [NAME.example.org/other]}}
END`,
		want: wantExplanation{
			verdict: stuck.Blocked, causes: []string{"controller-gone", "controller-not-watching"}, owners: []string{"Deployment NAME-system/NAME-a"},
			evidence: []string{"no deployment, statefulset or daemonset is named NAME-b, like the field manager that set the finalizer"},
		},
	},
	{
		name: "rival-is-a-replicaset", around: writeAccess(serviceAccountManifest("op")) + `
apiVersion: v1
kind: ServiceAccount
metadata: {name: op, namespace: NAME-system}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: alone, namespace: NAME-system}
spec:
  replicas: 0
  selector: {matchLabels: {app: alone}}
  template:
    metadata: {labels: {app: alone}}
    spec: {serviceAccountName: op, containers: [{name: c, image: registry.example.com/x}]}`,
		want: wantExplanation{verdict: stuck.Unknown, causes: []string{}, clues: []string{"replicaset/alone -n NAME-system, which is scaled to 0 and uses serviceaccount/op"}},
	},
}

func TestOwnerRivals(t *testing.T) {
	p := sharedPlane(t)
	for _, s := range ambiguousControllerScenes {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.run(t, p)
		})
	}
}
