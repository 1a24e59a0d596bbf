package e2e

import (
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

const (
	hook = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: NAME}
webhooks:
- name: things.NAME.example.org
  clientConfig: {service: {namespace: NAME-system, name: hook}}
  rules: [{apiGroups: [NAME.example.org], apiVersions: ["*"], resources: [never], operations: [CREATE]}]
  sideEffects: None
  admissionReviewVersions: [v1]
---
`
	service = `
apiVersion: v1
kind: Service
metadata: {name: hook, namespace: NAME-system}
spec: {selector: {app: op}, ports: [{port: 443}]}
---
`
	release = `
apiVersion: v1
kind: Secret
metadata: {name: sh.helm.release.v1.NAME.v1, namespace: NAME-system, labels: {owner: helm, name: NAME}}
type: helm.sh/release.v1
stringData: {release: ` + secretValue + `}
---
`
	helmAnnotations = `annotations: {meta.helm.sh/release-name: NAME, meta.helm.sh/release-namespace: NAME-system}`
)

// wantOperator is the answer of most scenes.
func wantOperator(clues ...string) wantExplanation {
	return wantExplanation{owners: []string{"Deployment NAME-system/op"}, alive: stuck.Running, clues: clues}
}

// wantControllerGone is the answer where no controller is left.
func wantControllerGone(evidence ...string) wantExplanation {
	return wantExplanation{verdict: stuck.ControllerGone, causes: []string{"controller-gone"}, alive: stuck.RunStateUnknown, evidence: evidence}
}

var clueScenes = []controllerScene{
	{
		name: "clue-role", around: deploymentManifest("op", "") + `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: op, namespace: NAME-objects}
rules: [{apiGroups: [NAME.example.org], resources: [things, things/finalizers], verbs: ["*"]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: op, namespace: NAME-objects}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: op}
subjects: [` + serviceAccountManifest("op") + `]`,
		want: wantOperator("may write the finalizers of things.NAME.example.org (rolebinding/op)"),
	},
	{
		name: "clue-aggregated", around: deploymentManifest("op", "") + `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: NAME}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {to: NAME}}]}
rules: []
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: NAME-part, labels: {to: NAME}}
rules: [{apiGroups: [NAME.example.org], resources: ["*"], verbs: [get, list, watch, patch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: NAME}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: NAME}
subjects: [` + serviceAccountManifest("op") + `]`,
		rest: "kubectl wait clusterrole/NAME --for=jsonpath='{.rules[0].resources[0]}'='*' --timeout=5m",
		want: wantOperator("may write things.NAME.example.org (clusterrolebinding/NAME)"),
	},
	{
		name: "clue-user", around: deploymentManifest("op", "") + writeAccess(`{kind: User, apiGroup: rbac.authorization.k8s.io, name: "system:serviceaccount:NAME-system:op"}`),
		want: wantOperator("may write things.NAME.example.org (clusterrolebinding/NAME)"),
	},
	{
		name: "clue-program", around: deploymentManifest("op", "") + writeAccess(serviceAccountManifest("op")), manager: "NAME-program",
		want: wantOperator("may write things", "set the finalizer", "(field manager NAME-program)"),
	},
	{
		name: "clue-helm", crd: helmAnnotations, around: deploymentManifest("op", helmAnnotations),
		want: wantOperator("belongs to Helm release NAME, which installed the CRD of things.NAME.example.org"),
	},
	{
		name: "clue-helm-stopped", crd: helmAnnotations, around: release,
		want: wantControllerGone("Helm release NAME -n NAME-system installed the CRD, and has no deployment, statefulset or daemonset"),
	},
	{
		name: "clue-helm-gone", crd: helmAnnotations,
		want: wantControllerGone("Helm release NAME -n NAME-system, which installed the CRD, was uninstalled"),
	},
	{
		name: "clue-olm", crd: `labels: {operators.coreos.com/NAME.NAME-system: ""}`, around: deploymentManifest("op", "labels: {olm.owner: NAME.v1}"),
		want: wantOperator("is managed by OLM in the namespace of operator NAME, which installed the CRD"),
	},
	{
		name: "clue-labels", crd: "labels: {app.kubernetes.io/instance: NAME, app.kubernetes.io/part-of: NAME}",
		around: deploymentManifest("op", "labels: {app.kubernetes.io/instance: NAME, app.kubernetes.io/part-of: NAME}"),
		want:   wantOperator("has the label app.kubernetes.io/instance=NAME", "has the label app.kubernetes.io/part-of=NAME"),
	},
	{
		name: "clue-label", crd: "labels: {app.kubernetes.io/instance: NAME}", around: deploymentManifest("op", "labels: {app.kubernetes.io/instance: NAME}"),
		want: wantExplanation{
			verdict: stuck.Unknown, causes: []string{},
			clues: []string{"possible controller: deployment/op -n NAME-system (has the label app.kubernetes.io/instance=NAME"},
		},
	},
	{
		name: "clue-gitops", crd: `annotations: {argocd.argoproj.io/tracking-id: "things:apiextensions.k8s.io/CustomResourceDefinition:/x"},
  labels: {kustomize.toolkit.fluxcd.io/name: apps, kustomize.toolkit.fluxcd.io/namespace: flux-system, helm.toolkit.fluxcd.io/name: things, helm.toolkit.fluxcd.io/namespace: flux-system}`,
		want: wantControllerGone("Argo CD application things deploys the CRD", "Flux (kustomize apps -n flux-system) deploys the CRD",
			"Flux (helm things -n flux-system) deploys the CRD"),
	},
	{
		name: "clue-webhook", around: deploymentManifest("op", "") + hook + service,
		want: wantOperator("serves validatingwebhookconfiguration/NAME for API group NAME.example.org"),
	},
	{
		name: "clue-webhook-gone", around: hook,
		want: wantControllerGone("validatingwebhookconfiguration/NAME for API group NAME.example.org calls service/hook -n NAME-system, which does not exist"),
	},
	{
		name: "clue-conversion", around: deploymentManifest("op", "") + service,
		spec: "conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {service: {namespace: NAME-system, name: hook}}}}",
		want: wantOperator("serves the conversion webhook of things.NAME.example.org"),
	},
	{
		name: "clue-lock", around: deploymentManifest("op", "") + writeAccess(serviceAccountManifest("op")) + `
apiVersion: v1
kind: ConfigMap
metadata:
  name: NAME-lock
  namespace: NAME-system
  finalizers: [NAME.example.org/keep-it-from-the-garbage-collector]
  ownerReferences: [{apiVersion: v1, kind: Pod, name: op-5d6f8c9b7-xk2lp, uid: 00000000-0000-0000-0000-000000000000}]`,
		want: wantExplanation{
			verdict: stuck.Blocked, causes: []string{"controller-lease-expired"}, owners: []string{"Deployment NAME-system/op"},
			evidence: []string{"pod/op-5d6f8c9b7-xk2lp holds configmap/NAME-lock as a leader-for-life lock; pod/op-5d6f8c9b7-xk2lp does not exist"},
		},
	},
	{
		name: "clue-lease", around: deploymentManifest("op", "") + writeAccess(serviceAccountManifest("op")) + `
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: op, namespace: NAME-system}
spec: {holderIdentity: op-5d6f8c9b7-xk2lp_1}`,
		want: wantExplanation{
			verdict: stuck.Blocked, causes: []string{"controller-not-watching"}, owners: []string{"Deployment NAME-system/op"},
			health: []string{"lease/op has no renewTime"},
		},
	},
	{
		name: "clue-two-suspects", around: deploymentManifest("op", "") + deploymentManifest("rival", "") + writeAccess(serviceAccountManifest("op")+", "+serviceAccountManifest("rival")),
		want: wantExplanation{verdict: stuck.Blocked, owners: []string{"Deployment NAME-system/op", "Deployment NAME-system/rival"}, alive: stuck.Running},
	},
	{
		name: "clue-two-finalizers", manager: "NAME-a", around: deploymentManifest("NAME-a", ""),
		before: `kubectl apply --server-side --field-manager=NAME-b -f - <<'END'
{apiVersion: NAME.example.org/v1, kind: Thing, metadata: {name: it, namespace: NAME-objects, finalizers: [NAME.example.org/other]}}
END
kubectl -n NAME-system scale deployment/NAME-a --replicas=0
kubectl -n NAME-system wait pods --all --for=delete --timeout=5m`,
		want: wantExplanation{
			verdict: stuck.Blocked, causes: []string{"controller-gone", "controller-scaled-to-zero"}, owners: []string{"Deployment NAME-system/NAME-a"}, alive: stuck.NotRunning,
			evidence: []string{"no deployment, statefulset or daemonset is named NAME-b, like the field manager that set the finalizer", "0 of 0 ready"},
		},
	},
	{
		name: "doubt-pod", around: writeAccess(serviceAccountManifest("op")) + `
apiVersion: v1
kind: ServiceAccount
metadata: {name: op, namespace: NAME-system}
---
apiVersion: v1
kind: Pod
metadata: {name: bare, namespace: NAME-system}
spec: {serviceAccountName: op, containers: [{name: c, image: registry.example.com/x}]}`,
		want: wantExplanation{
			verdict: stuck.Unknown, causes: []string{},
			clues: []string{"possible controller: pod/bare -n NAME-system, which runs as serviceaccount/op (clusterrolebinding/NAME)"},
		},
	},
	{
		name: "doubt-cronjob", around: writeAccess(serviceAccountManifest("op")) + `
apiVersion: v1
kind: ServiceAccount
metadata: {name: op, namespace: NAME-system}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: sweep, namespace: NAME-system}
spec:
  schedule: "0 0 30 2 *"
  jobTemplate: {spec: {template: {spec: {serviceAccountName: op, restartPolicy: Never, containers: [{name: c, image: registry.example.com/x}]}}}}`,
		want: wantExplanation{verdict: stuck.Unknown, causes: []string{}, clues: []string{"cronjob/sweep -n NAME-system, which runs as serviceaccount/op"}},
	},
	{
		name: "doubt-unused", around: writeAccess(serviceAccountManifest("op")) + `
apiVersion: v1
kind: ServiceAccount
metadata: {name: op, namespace: NAME-system}`,
		want: wantControllerGone("no workload runs as serviceaccount/op -n NAME-system, which may write things.NAME.example.org (clusterrolebinding/NAME)"),
	},
	{
		// Its controller runs outside of the cluster, and has no watch open just now.
		name: "doubt-user", around: writeAccess(`{kind: User, apiGroup: rbac.authorization.k8s.io, name: NAME-controller}`), manager: "NAME-controller",
		want: wantExplanation{verdict: stuck.Unknown, causes: []string{}, clues: []string{"possible controller: user NAME-controller (clusterrolebinding/NAME)"}},
	},
	{
		name: "doubt-outside", around: deploymentManifest("op", "") + hook + `
apiVersion: v1
kind: Service
metadata: {name: hook, namespace: NAME-system}
spec: {ports: [{port: 443}]}`,
		want: wantExplanation{verdict: stuck.Unknown, causes: []string{}, clues: []string{"the endpoints of service/hook -n NAME-system"}},
	},
}

func TestOwnerClues(t *testing.T) {
	p := sharedPlane(t)
	for _, s := range clueScenes {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.run(t, p)
		})
	}
}

// What may do everything proves nothing, and is named. It is taken back at once: it could be the owner of any other scene.
func TestOwnerThatMayDoEverything(t *testing.T) {
	s := controllerScene{
		name: "clue-admin", around: deploymentManifest("op", "") + `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: NAME}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [` + serviceAccountManifest("op") + `]`,
		want: wantExplanation{
			verdict: stuck.Unknown, causes: []string{},
			clues: []string{"possible controller: deployment/op -n NAME-system (may write all types)"},
		},
	}
	p := sharedPlane(t)
	defer runSetup(t, p, s.named("kubectl delete clusterrolebinding/NAME"))
	s.run(t, p)
}
