package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// runningOperator is an operator that may act on the scene's type and runs.
const runningOperator = operatorDeployment + operatorRBAC

// operatorRBAC gives its rights to an operator.
const operatorRBAC = `
cat <<END | kubectl create -f -
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: $N-operator}
rules: [{apiGroups: [$G], resources: ["*"], verbs: ["*"]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: $N-operator}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: $N-operator}
subjects: [{kind: ServiceAccount, name: packer, namespace: $N}]
END
`

// operatorDeployment is an operator that may do nothing yet. Its name resembles no type of the scenes beside it.
const operatorDeployment = `
cat <<END | kubectl create -f -
apiVersion: v1
kind: ServiceAccount
metadata: {name: packer, namespace: $N}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: packer, namespace: $N}
spec:
  selector: {matchLabels: {app: packer}}
  template:
    metadata: {labels: {app: packer}}
    spec:
      serviceAccountName: packer
      containers: [{name: operator, image: registry.example.com/packer:1}]
END
kubectl -n $N rollout status deployment/packer --timeout=5m
`

// TestRemovalRefuses asks for what is not to be done, and expects to be told what gets past it.
func TestRemovalRefuses(t *testing.T) {
	t.Parallel()
	const held = "crates a\nkubectl delete -n $N crates.$G a --wait=false\n"
	for name, test := range map[string]struct {
		script string
		args   []string
		code   int
		says   []string
	}{
		"blocked": {
			runningOperator + "kubectl -n $N scale deployment/packer --replicas=0\n" +
				"until [ -z \"$(kubectl get -n $N deployment packer -o jsonpath='{.status.readyReplicas}')\" ]; do :; done\n" + held,
			[]string{"--accept-leaks", "--yes"},
			3,
			[]string{"Blocked: ", "change       ", "\n  kubectl -n removal-refused-blocked scale deploy", "--override-verdict"},
		},
		"progressing": {
			runningOperator + "crates a\nkubectl patch -n $N crates.$G a --type=merge -p '{\"metadata\":{\"labels\":{\"a\":\"b\"}}}' --field-manager=packer\n" +
				"kubectl delete -n $N crates.$G a --wait=false\n" +
				"until [ $(date +%s) -gt $(date -d \"$(kubectl get -n $N crates.$G a -o jsonpath='{.metadata.deletionTimestamp}')\" +%s) ]; do :; done\n" +
				"kubectl patch -n $N crates.$G a --type=merge -p '{\"status\":{\"phase\":\"Going\"}}' --field-manager=packer\n",
			[]string{"--accept-leaks", "--yes"},
			3,
			[]string{"Progressing: ", "wait, and see how far it is", "--override-verdict"},
		},
		"unknown": {
			"printf '{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\",\"namespace\":\"%s\",\"finalizers\":[\"%s/hold\"]}}' $N $G | kubectl create -f -\n" +
				"kubectl delete -n $N configmap a --wait=false\n",
			[]string{"cm/a", "--accept-leaks", "--yes"},
			3,
			[]string{"Unknown", "kubectl finalizers explain configmap/a -n removal-refused-unknown", "--override-verdict"},
		},
		"leaks": {held, []string{"--yes"}, 3, []string{"would leave behind something unknown", "--accept-leaks"}},
		"data": {
			"printf '{\"apiVersion\":\"v1\",\"kind\":\"PersistentVolume\",\"metadata\":{\"name\":\"%s\",\"finalizers\":[\"kubernetes.io/pv-protection\"]},\"spec\":{\"capacity\":{\"storage\":\"1Gi\"},\"accessModes\":[\"ReadWriteOnce\"],\"storageClassName\":\"%s\",\"claimRef\":{\"namespace\":\"%s\",\"name\":\"media\"},\"hostPath\":{\"path\":\"/none\"}}}' $N $N $N | kubectl create -f -\n" +
				"printf '{\"apiVersion\":\"v1\",\"kind\":\"PersistentVolumeClaim\",\"metadata\":{\"name\":\"media\",\"namespace\":\"%s\"},\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],\"storageClassName\":\"%s\",\"volumeName\":\"%s\",\"resources\":{\"requests\":{\"storage\":\"1Gi\"}}}}' $N $N $N | kubectl create -f -\n" +
				"kubectl wait pv/$N --for=jsonpath='{.status.phase}'=Bound --timeout=5m\nkubectl delete pv $N --wait=false\n",
			[]string{"pv/removal-refused-data", "--override-verdict", "--yes"},
			3,
			[]string{"data would be lost", "--accept-data-loss"},
		},
		"stranded": {
			held + "kubectl delete namespace $N --wait=false\n" +
				`printf '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"%s"}}' $N | kubectl replace --raw /api/v1/namespaces/$N/finalize -f -` + "\n",
			[]string{"--override-verdict", "--accept-leaks", "--yes"},
			3,
			[]string{"its namespace no longer exists", "kubectl create namespace removal-refused-stranded"},
		},
		"living":    {"crates a\n", []string{"--yes"}, 3, []string{"it is not being deleted, so there is nothing to force", "kubectl finalizers explain crate"}},
		"stranger":  {held, []string{"--yes", "--finalizer", "example.com/nowhere"}, 1, []string{"no target has the finalizer example.com/nowhere"}},
		"bothways":  {held, []string{"--yes", "--confirm", "0123456789abcdef"}, 1, []string{"exclude each other"}},
		"stale":     {held, []string{"--accept-leaks", "--confirm", "0123456789abcdef"}, 3, []string{"the confirmation token is out of date"}},
		"silent":    {held, []string{"--accept-leaks"}, 3, []string{"there is no terminal to ask for confirmation", "--yes"}},
		"noobject":  {held, []string{"configmaps", "--yes"}, 1, []string{"does not name an object"}},
		"badformat": {held, []string{"--yes", "-o", "wide"}, 1, []string{"wide"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newRemoval(t, sharedPlane(t), "refused-"+name, test.script)
			args := append([]string{"-n", s.namespace}, test.args...)
			switch name {
			case "unknown", "data", "noobject":
			default:
				args = append([]string{s.crate("a")}, args...)
			}
			mark := s.mark(t)
			out, errOut, code := s.remove(t, args...)
			wantOutput(t, code, test.code, out+errOut, test.says...)
			s.wantNoWrites(t, mark)
			if len(s.savedCopies(t)) > 0 {
				t.Errorf("it saved %v", s.savedCopies(t))
			}
		})
	}
}

// TestRemovalWithoutRights tells those who may not what they may not, before anything changes.
func TestRemovalWithoutRights(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "rights", "crates a b\nkubectl delete -n $N crates.$G --all --wait=false\n")
	if _, err := s.p.Viewer(t.Context()); err != nil {
		t.Fatal(err)
	}
	mark := s.mark(t)
	args := []string{"force-remove", s.crate("a"), s.crate("b"), "-n", s.namespace, "--override-verdict", "--accept-leaks", "--yes"}
	_, errOut, code := finalizers(t, s.env(plane.Viewer), args...)
	wantOutput(t, code, 1, errOut, "nothing was changed", "you lack permission to patch crates."+s.group+" -n "+s.namespace)
	s.wantNoWrites(t, mark)

	s.runScript(t, `
kubectl create role reader -n $N --verb=get,list --resource=crates.$G
kubectl create rolebinding reader -n $N --role=reader --user=tenant-63
until kubectl auth can-i get crates.$G -n $N --as tenant-63; do :; done
`)
	_, errOut, code = finalizers(t, s.env("tenant-63"), args...)
	wantOutput(t, code, 1, errOut, "you lack permission to patch crates."+s.group+" -n "+s.namespace)
	s.wantNoWrites(t, mark)

	// The right to one object by its name is enough for that one.
	s.runScript(t, `
kubectl create role writer -n $N --verb=patch --resource=crates.$G --resource-name=a
kubectl create rolebinding writer -n $N --role=writer --user=tenant-63
until kubectl auth can-i patch crates.$G/a -n $N --as tenant-63; do :; done
`)
	_, errOut, code = finalizers(t, s.env("tenant-63"), args...)
	wantOutput(t, code, 1, errOut, "you lack permission to patch crates."+s.group+" -n "+s.namespace)
	s.wantNoWrites(t, mark)
	out, errOut, code := finalizers(t, s.env("tenant-63"), slices.Delete(args, 2, 3)...)
	wantOutput(t, code, 0, out+errOut, "removed from 1 of ")
}

// TestRemovalDeniedByPolicy meets a policy that lets nobody update the objects.
func TestRemovalDeniedByPolicy(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "policy", `crates a b c d e f g h
cat <<END | kubectl create -f -
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: $N}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [$G], apiVersions: ["*"], operations: [UPDATE], resources: [crates]}]
  validations: [{expression: "object.metadata.name == 'a'", message: "it stays as it is"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: $N}
spec: {policyName: $N, validationActions: [Deny]}
END
until kubectl label -n $N crates.$G b tried=yes --dry-run=server 2>&1 | grep -q 'denied request'; do :; done
kubectl delete -n $N crates.$G --all --wait=false
`)
	mark := s.mark(t)
	args := []string{"-n", s.namespace, "--accept-leaks", "--yes"}
	for _, name := range strings.Split("abcdefgh", "") {
		args = append(args, s.crate(name))
	}
	// Of a few, each is probed.
	out, _, code := s.remove(t, args[:6]...)
	wantOutput(t, code, 3, out, "Blocked: ", "--override-verdict")
	// Of many, one stands for all, and each has its dry run.
	out, errOut, code := s.remove(t, args...)
	wantOutput(t, code, 3, out+errOut, "nothing was changed", "7 crates."+s.group+" -n "+s.namespace+" (b ... h)\n",
		"ValidatingAdmissionPolicy removal-policy denied the request: ", "it stays as it is", "kubectl finalizers explain crate."+s.group+"/b -n "+s.namespace)
	s.wantNoWrites(t, mark)
}
