package e2e

import (
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// A webhook that is down and exempts the controller rejects the updates of the user alone: that the controller is scaled to
// zero is the first cause, and nobody is told to delete the webhook configuration.
func TestWebhookDownExemptsController(t *testing.T) {
	t.Parallel()
	p := sharedPlane(t)
	s := controllerScene{
		name:   "hook-exempts",
		around: strings.Replace(deploymentManifest("op", ""), "replicas: 1", "replicas: 0", 1) + writeAccess(serviceAccountManifest("op")),
		before: `
kubectl create -f - <<'END'
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: NAME}
webhooks:
- name: check.NAME.example.org
  clientConfig: {service: {namespace: NAME-system, name: check}}
  rules: [{apiGroups: [NAME.example.org], apiVersions: ["*"], operations: [UPDATE], resources: [things]}]
  matchConditions: [{name: others, expression: "request.userInfo.username != 'system:serviceaccount:NAME-system:op'"}]
  admissionReviewVersions: [v1]
  sideEffects: None
END
until kubectl label -n NAME-objects things.NAME.example.org it tried=yes --dry-run=server 2>&1 | grep -q 'failed calling webhook'; do :; done
`,
	}
	s.setUp(t, p)
	got := s.waitFor(t, p, plane.Admin, wantExplanation{
		verdict: stuck.Blocked, causes: []string{"controller-scaled-to-zero", "write-webhook-down"}, owners: []string{"Deployment NAME-system/op"}, alive: stuck.NotRunning,
	})
	causes := got.Target.Diagnosis.Causes
	if causes[0].Cause != "controller-scaled-to-zero" {
		t.Errorf("the first cause is %s", causes[0].Cause)
	}
	condition := s.named("the webhook is called only if: request.userInfo.username != 'system:serviceaccount:NAME-system:op'")
	out, errOut, _ := kubectl(t, p, plane.Admin, "finalizers", "explain", s.named("things.NAME.example.org/it"), "-n", s.named("NAME-objects"))
	for _, want := range []string{condition, "and decides by user", "kubectl -n hook-exempts-system scale deployment/op --replicas=1", "by deployment/op -n hook-exempts-system"} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("it does not say %q:\n%s%s", want, out, errOut)
		}
	}
	if strings.Contains(out, "delete validatingwebhookconfiguration") {
		t.Errorf("it advises to delete the webhook configuration:\n%s", out)
	}
}
