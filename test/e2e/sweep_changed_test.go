package e2e

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// TestSweepRecreated recreates an object between the selection and the delete: the new one is kept, and so is an object that lost its label.
func TestSweepRecreated(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, `
		kubectl create namespace sweep-again
		for name in recreated relabeled touched; do kubectl create configmap $name -n sweep-again; kubectl label configmap $name -n sweep-again sweep=again; done`)
	var once sync.Once
	address := startProxy(t, p, func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodDelete {
			once.Do(func() {
				runSetup(t, p, `
					kubectl delete configmap recreated -n sweep-again
					kubectl create configmap recreated -n sweep-again
					kubectl label configmap recreated -n sweep-again sweep=again
					kubectl label configmap relabeled -n sweep-again sweep-
					kubectl annotate configmap touched -n sweep-again touched=yes`)
			})
		}
		return false
	})
	out, _, code := sweepNow(t, p, t.TempDir(), "configmaps", "-n", "sweep-again", "-l", "sweep=again", "--yes", "--server", address)
	wantWords(t, out, []string{"configmap/recreated -n sweep-again Skipped - another object has its name now", "configmap/relabeled -n sweep-again Skipped - it changed, and is no longer selected", "configmap/touched -n sweep-again Deleted"})
	left, _, _ := kubectl(t, p, plane.Admin, "get", "configmaps", "-n", "sweep-again", "-o", "jsonpath={.items[*].metadata.name}")
	if code != 0 || left != "kube-root-ca.crt recreated relabeled" {
		t.Errorf("it ended with %d and left %s", code, left)
	}
}

// TestSweepDeletesWhatTheUserMayDelete sweeps two namespaces as a user who may delete ConfigMaps in one of them, by a RoleBinding.
func TestSweepDeletesWhatTheUserMayDelete(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, `
		for name in sweep-bound sweep-unbound; do
			kubectl create namespace $name
			kubectl label namespace $name sweep=bound
			printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"held","namespace":"%s","finalizers":["sweep.example.com/hold"]}}' $name | kubectl create -f -
		done
		kubectl create clusterrole sweep-bound --verb=get,list,delete --resource=namespaces,configmaps
		kubectl create clusterrole sweep-unbound --verb=get,list --resource='*'
		kubectl create clusterrolebinding sweep-unbound --clusterrole=sweep-unbound --user=sweeper
		kubectl create rolebinding sweep-bound -n sweep-bound --clusterrole=sweep-bound --user=sweeper
		until kubectl auth can-i delete configmaps -n sweep-bound --as sweeper && kubectl auth can-i list namespaces --as sweeper; do :; done`)
	out, _, _ := sweepNow(t, p, t.TempDir(), "-l", "sweep=bound", "--as", "sweeper")
	wantWords(t, out, []string{"configmap/held -n sweep-bound Delete before namespace/sweep-bound"})
	if strings.Contains(out, "configmap/held -n sweep-unbound") {
		t.Error("it would delete what the user may not delete")
	}
	runSetup(t, p, `
		for name in sweep-bound sweep-unbound; do kubectl patch configmap held -n $name --type=merge -p '{"metadata":{"finalizers":[]}}'; done
		kubectl delete namespace -l sweep=bound --wait=false`)
}

// TestSweepNamespaceKept takes the label from a namespace before its content is deleted: both are kept. So is a namespace
// with an object that is kept.
func TestSweepNamespaceKept(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, `
		for name in sweep-late sweep-kept; do kubectl create namespace $name; kubectl label namespace $name sweep=$name; done
		kubectl create -f - <<'END'
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"sweep-held","namespace":"sweep-late","finalizers":["sweep.example.com/hold"]}}
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"sweep-held","namespace":"sweep-kept","labels":{"sweep":"sweep-kept"},"annotations":{"janitor/ttl":"0s"}}}
END`)
	var once sync.Once
	address := startProxy(t, p, func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/selfsubjectaccessreviews") { // before anything is deleted
			once.Do(func() { runSetup(t, p, `kubectl label namespace sweep-late sweep-`) })
		}
		return false
	})
	out, _, code := sweepNow(t, p, t.TempDir(), "-l", "sweep=sweep-late", "--yes", "--server", address)
	wantWords(t, out, []string{
		"configmap/sweep-held -n sweep-late Skipped - namespace/sweep-late: it changed, and is no longer selected",
		"namespace/sweep-late Skipped - it changed, and is no longer selected",
	})
	if code != 0 {
		t.Errorf("it ended with %d", code)
	}
	out, _, code = sweepNow(t, p, t.TempDir(), "namespaces", "ns", "configmaps", "-A", "-l", "sweep=sweep-kept", "--yes")
	wantWords(t, out, []string{"namespace/sweep-kept Kept - configmap/sweep-held in it is kept"})
	if code != 0 || strings.Count(out, "namespace/sweep-kept") != 1 {
		t.Errorf("it ended with %d", code)
	}
	left, _, _ := kubectl(t, p, plane.Admin, "get", "configmaps", "-A", "--field-selector", "metadata.name=sweep-held", "-o", "jsonpath={.items[*].metadata.deletionTimestamp} {.items[*].metadata.namespace}")
	if left != " sweep-kept sweep-late" {
		t.Errorf("these ConfigMaps are left: %s", left)
	}
	runSetup(t, p, `kubectl patch configmap sweep-held -n sweep-late --type=merge -p '{"metadata":{"finalizers":[]}}'`)
}

// TestSweepByNobody deletes no namespace while it is not known whether the sweep runs in it.
func TestSweepByNobody(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, `kubectl create namespace sweep-nobody; kubectl label namespace sweep-nobody sweep=sweep-nobody`)
	address := startProxy(t, p, func(w http.ResponseWriter, r *http.Request) bool {
		isReview := strings.HasSuffix(r.URL.Path, "/selfsubjectreviews")
		if isReview {
			http.Error(w, "try again", http.StatusInternalServerError)
		}
		return isReview
	})
	_, errOut, code := sweepNow(t, p, t.TempDir(), "-l", "sweep=sweep-nobody", "--yes", "--server", address)
	if code != 3 || !strings.Contains(errOut, "the sweep may run in one of the namespaces") {
		t.Errorf("it ended with %d: %s", code, errOut)
	}
	if phase, _, _ := kubectl(t, p, plane.Admin, "get", "namespace", "sweep-nobody", "-o", "jsonpath={.status.phase}"); phase != "Active" {
		t.Errorf("the namespace is %q", phase)
	}
}

// TestSweepRefuses refuses what would select by mistake.
func TestSweepRefuses(t *testing.T) {
	p := sharedPlane(t)
	for _, input := range []badInput{
		{"sweep crd -l a=b", []string{"sweep deletes no CustomResourceDefinition"}},
		{"sweep secrets -l a=b", []string{"never a Secret"}},
		{"sweep ns/kube-system", []string{"sweep takes types"}},
		{"sweep --selector=", []string{"reading --selector: it is empty"}},
		{"sweep --ttl-annotation=", []string{"reading --ttl-annotation: it takes the key of an annotation"}},
		{"sweep --ttl-annotation=a=b", []string{"reading --ttl-annotation"}},
		{"sweep configmaps -l a=b -n none", []string{`namespace "none" not found`}},
		{"sweep nosuch -l a=b", []string{`have a resource type "nosuch"`}},
		{"sweep -l !a", []string{"-l !a selects everything without these labels"}},
		{"sweep configmaps -A -l a!=b", []string{"-l a!=b selects everything without these labels"}},
		{"sweep ns configmaps -n default -l a!=b", []string{"selects everything without these labels"}},
		{"sweep --state-configmap=sweep", []string{"--state-configmap: it takes NAMESPACE/NAME"}},
		{"sweep --state-configmap=a/B", []string{"--state-configmap: it takes NAMESPACE/NAME"}},
		{"sweep -l a=b --max-percent=0", []string{"--max-percent from 1 to 100"}},
	} {
		wantRefused(t, p.Env(plane.Admin), input)
	}
}
