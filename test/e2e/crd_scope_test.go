package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// tapersDefinition creates the type tapers with a scope, and waits until it is served so.
const tapersDefinition = `
define() {
  kubectl create -f - <<END
{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"tapers.$G"},"spec":{
 "group":"$G","scope":"$1","names":{"plural":"tapers","singular":"taper","kind":"Taper"},
 "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}
END
  kubectl wait crd/tapers.$G --for=condition=Established --timeout=5m
  until kubectl api-resources --api-group=$G --namespaced=$([ $1 = Namespaced ] && echo true || echo false) | grep -q tapers; do sleep 0.2; done
}
remove_definition() {
  kubectl delete crd tapers.$G --wait=false
  kubectl patch crd tapers.$G --type=merge -p '{"metadata":{"finalizers":null}}'
  kubectl wait crd/tapers.$G --for=delete --timeout=5m
}
`

// changedScope deletes a type by force while it has an object, and creates it with another scope.
const changedScope = `
define $BEFORE
printf '{"apiVersion":"%s/v1","kind":"Taper","metadata":{"name":"left","namespace":"%s","finalizers":["%s/hold"]}}' $G "$N" $G | kubectl create -f -
kubectl delete crd tapers.$G --wait=false
kubectl wait tapers.$G/left ${N:+-n $N} --for=jsonpath='{.metadata.deletionTimestamp}' --timeout=5m
remove_definition
define $AFTER
`

// reachedAgain gives the type its former scope, in which its object can be changed.
const reachedAgain = `
define $BEFORE
kubectl patch tapers.$G left ${N:+-n $N} --type=merge -p '{"metadata":{"finalizers":null}}'
kubectl wait tapers.$G/left ${N:+-n $N} --for=delete --timeout=5m
kubectl delete crd tapers.$G
`

// asOftenAsTold runs a command until it succeeds, as long as it says to run it again: the controller of the type writes conditions
// meanwhile.
const asOftenAsTold = `until out=$(%s 2>&1); do echo "$out" | grep "run the command again" || { echo "$out"; exit 1; }; done`

// TestScopeOfDefinitionChanged asks about an object that no request reaches, and runs the commands that are printed. While
// there is one without a namespace, no namespace of the control plane can be deleted.
func TestScopeOfDefinitionChanged(t *testing.T) {
	t.Parallel()
	p := ownPlane(t)
	for name, c := range map[string]struct{ before, after, namespace string }{
		"namespaced": {"Namespaced", "Cluster", "default"}, "cluster": {"Cluster", "Namespaced", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			group := name + ".scope.example.org"
			variables := fmt.Sprintf("G=%s BEFORE=%s AFTER=%s N=%s\n", group, c.before, c.after, c.namespace) + tapersDefinition
			runSetup(t, p, variables+changedScope)
			checkOutOfScope(t, p, group, c.before, c.after)
			runSetup(t, p, variables+"kubectl delete crd tapers.$G --wait=false\nkubectl wait crd/tapers.$G --for=condition=Terminating --timeout=5m")
			out, _, _ := kubectl(t, p, plane.Admin, "finalizers", "explain", "crd/tapers."+group)
			wantWords(t, out, []string{"crd-scope-changed, confirmed", "left", "kubectl finalizers force-remove crd/tapers." + group})
			for line := range strings.Lines(out) {
				if line = strings.TrimSpace(line); strings.HasPrefix(line, "kubectl ") {
					runSetup(t, p, fmt.Sprintf(asOftenAsTold, line))
				}
			}
			runSetup(t, p, variables+"remove_definition"+reachedAgain)
		})
	}
}

// checkOutOfScope asks each command about the object left, of which a list shows that nothing reaches it.
func checkOutOfScope(t *testing.T, p *plane.Plane, group, before, after string) {
	t.Helper()
	says := fmt.Sprintf("crd/tapers.%s had scope %s when the object was stored, and has scope %s now", group, before, after)
	for _, c := range []struct {
		args []string
		code int
		want []string
	}{
		{[]string{"list", "tapers." + group, "-A", "--exit-code"}, 2, []string{"Blocked crd-scope-changed"}},
		{[]string{"explain", "tapers." + group + "/left", "--exit-code"}, 2, []string{says, "crd-scope-changed, confirmed", "kubectl get tapers." + group + " -A"}},
		{[]string{"force-remove", "tapers." + group + "/left", "--dry-run=server", "--override-verdict"}, 3, []string{"so no request reaches it"}},
		{[]string{"preflight", "crd/tapers." + group}, 2, []string{"would get stuck", says}},
	} {
		out, errOut, code := finalizers(t, p.Env(plane.Admin), c.args...)
		t.Logf("$ kubectl finalizers %s\n%s%s", strings.Join(c.args, " "), errOut, out)
		wantOutput(t, code, c.code, out+errOut, c.want...)
		if text := out + errOut; strings.Contains(text, "kubectl delete taper") || strings.Contains(text, "could not find the requested resource") {
			t.Errorf("%s names a command that fails, or what failed:\n%s", c.args[0], text)
		}
	}
}
