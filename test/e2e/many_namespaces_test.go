package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// namespaceCount is in how many namespaces something is stuck.
const namespaceCount = 12

// manyNamespacesScene has a ConfigMap stuck in each of many namespaces. In one its controller set the finalizer, and may free it. The
// neighbor may see the same, but nothing of roles and namespaces without naming where.
var manyNamespacesScene = fmt.Sprintf(`
kubectl create serviceaccount janitor -n default
kubectl create deployment many-janitor -n default --image=registry.example.com/janitor:1 --replicas=0
kubectl set serviceaccount -n default deployment/many-janitor janitor
kubectl create clusterrole many-sees --verb=get,list --resource=configmaps,serviceaccounts,deployments.apps,statefulsets.apps,daemonsets.apps,replicasets.apps,cronjobs,pods,events,clusterroles,clusterrolebindings,leases
kubectl create clusterrole many-names --verb=get --resource=namespaces
kubectl create clusterrolebinding many-sees --clusterrole=many-sees --user=many-neighbor
kubectl create clusterrolebinding many-names --clusterrole=many-names --user=many-neighbor
kubectl create clusterrole many-may --verb=list,get --resource=roles,rolebindings
kubectl create clusterrole many-patches --verb=patch,get,update --resource=configmaps
for i in $(seq 1 %d); do
  kubectl create namespace many-$i
  kubectl create rolebinding sees -n many-$i --clusterrole=many-may --user=many-neighbor
  kubectl create rolebinding patches -n many-$i --clusterrole=many-patches --user=many-neighbor
  printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"held","namespace":"many-%%s","finalizers":["many.example.com/hold"]}}' $i | kubectl create --field-manager=$([ $i = 7 ] && echo many-janitor || echo kubectl-create) -f -
  kubectl delete configmap held -n many-$i --wait=false
done
kubectl create rolebinding janitor -n many-7 --clusterrole=many-patches --serviceaccount=default:janitor
until kubectl auth can-i patch configmaps -n many-$i --as many-neighbor && kubectl auth can-i list roles -n many-$i --as many-neighbor; do :; done
`, namespaceCount)

// TestManyNamespaces asks about many namespaces at once: what each holds is read for all in one go where that is allowed,
// and one by one where it is not, and the same is said of it.
func TestManyNamespaces(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, manyNamespacesScene)
	list := []string{"list", "configmaps", "-A", "--finalizer", "many.example.com/*"}
	asAdmin := requestsOf(t, p, list...)
	asNeighbor := requestsOf(t, p, append(list, "--as", "many-neighbor")...)
	for _, each := range []struct {
		path       string
		all, alone int
	}{
		{"/rolebindings?", 0, namespaceCount},
		{"/roles?", 0, namespaceCount},
		{"/selfsubjectaccessreviews", 1, 1 + namespaceCount},
		{"/configmaps/held?", namespaceCount, namespaceCount}, // the dry runs
	} {
		if n := countRequests(asAdmin, each.path); n != each.all {
			t.Errorf("whoever may see everything asks for %s %d times, and needs %d", each.path, n, each.all)
		}
		if n := countRequests(asNeighbor, each.path); n != each.alone {
			t.Errorf("whoever may not asks for %s %d times, and needs %d", each.path, n, each.alone)
		}
	}
	all, _, _ := kubectl(t, p, plane.Admin, append([]string{"finalizers"}, list...)...)
	alone, errOut, _ := kubectl(t, p, plane.Admin, append([]string{"finalizers", "--as", "many-neighbor"}, list...)...)
	if diff := cmp.Diff(maskVolatile(all), maskVolatile(alone)); diff != "" {
		t.Errorf("what is said (-by all in one go +by one by one):\n%s%s", diff, errOut)
	}
	if n := strings.Count(all, "cm/held"); n != namespaceCount || !strings.Contains(all, "many-janitor") {
		t.Errorf("it lists %d configmaps, and the controller of one is scaled to zero:\n%s", n, all)
	}
	for _, as := range []string{"", "many-neighbor"} {
		if document, _, _ := kubectl(t, p, plane.Admin, append([]string{"finalizers", "--as=" + as, "-o", "json"}, list...)...); !strings.Contains(document, "may write configmaps (rolebinding/janitor)") {
			t.Errorf("as %q it does not say what the janitor may do:\n%s", as, document)
		}
	}
}

// countRequests counts the requests that ask one thing of the namespaces of the scene, or what the user may do anywhere.
func countRequests(requests []plane.Request, what string) (n int) {
	for _, r := range requests {
		if strings.Contains(r.URI, what) && (strings.Contains(r.URI, "/namespaces/many-") || strings.Contains(r.URI, "reviews")) {
			n++
		}
	}
	return n
}
