package e2e

import (
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// grantedScene has two objects that are stuck, and two users who may read the type of one of them each, and nothing else.
const grantedScene = `
kubectl create namespace granted
for user in first second; do
  kubectl create clusterrolebinding granted-$user --clusterrole=granted-$user --user=granted-$user
done
kubectl create clusterrole granted-first --verb=get,list --resource=configmaps
kubectl create clusterrole granted-second --verb=get,list --resource=serviceaccounts
printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"held","namespace":"granted","finalizers":["granted.example.com/hold"]}}' | kubectl create -f -
printf '{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"held","namespace":"granted","finalizers":["granted.example.com/hold"]}}' | kubectl create -f -
kubectl delete -n granted configmap/held serviceaccount/held --wait=false
until kubectl auth can-i get configmaps -n granted --as granted-first && kubectl auth can-i get serviceaccounts -n granted --as granted-second; do :; done
`

// TestGrantedRights runs the commands that explain prints for what a user may not read, until it prints none; then those of
// another user, who has other rights.
func TestGrantedRights(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, grantedScene)
	defer runSetup(t, p, "kubectl delete clusterrole/finalizers-reader clusterrolebinding/finalizers-reader --ignore-not-found")
	printed := map[string]bool{}
	for user, object := range map[string]string{"granted-first": "configmap/held", "granted-second": "serviceaccount/held"} {
		rounds := 0
		for commands := grantsOf(t, p, user, object); len(commands) > 0; commands = grantsOf(t, p, user, object) {
			if rounds++; rounds > 6 {
				t.Fatalf("explain still prints %s", commands)
			}
			for _, command := range commands {
				printed[command] = true
				runSetup(t, p, command)
			}
		}
		if rounds == 0 {
			t.Errorf("explain prints no command for %s", user)
		}
	}
	if len(printed) < 4 {
		t.Errorf("only these commands were tried: %v", printed)
	}
	for _, user := range []string{"granted-first", "granted-second"} {
		runSetup(t, p, "kubectl auth can-i list clusterroles --as "+user)
	}
}

// grantsOf are the commands that explain prints for what a user may not read.
func grantsOf(t *testing.T, p *plane.Plane, user, object string) []string {
	t.Helper()
	out, errOut, _ := kubectl(t, p, plane.Admin, "finalizers", "explain", object, "-n", "granted", "--as", user)
	t.Logf("as %s\n$ kubectl finalizers explain %s\n%s%s", user, object, errOut, out)
	var commands []string
	for line := range strings.Lines(out) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "kubectl create clusterrole") {
			commands = append(commands, strings.ReplaceAll(line, "USER", user))
		}
	}
	return commands
}
