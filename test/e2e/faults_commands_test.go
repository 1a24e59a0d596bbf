package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// faultyCommand is a command that meets faults.
type faultyCommand struct {
	name string
	args func(*faultyRun) []string
	// prepare makes what a command that writes is about. Without it nothing may be written.
	prepare func(*testing.T, *faultyRun)
	// check looks at what the command said and did.
	check func(*testing.T, *faultyRun)
}

// faultyCommands are chosen by number: their count has no divisor in common with the number of the kinds of faults plus one.
var faultyCommands = []faultyCommand{
	{name: "list", args: words("list -A -o json --exit-code"), check: checkList},
	{name: "list --all", args: words("list -A --all -o json --exit-code"), check: checkList},
	{name: "explain", args: words("explain ns/shop -o json"), check: checkExplain},
	{name: "health", args: words("health --exit-code -o json --for 3s"), check: checkHealth},
	{name: "preflight", args: words("preflight ns/" + faultNamespace + " -o json"), check: checkNoAllClear},
	{name: "wait", args: words("wait ns/shop --timeout=3s --stall=1s -o json"), check: checkWait},
	{name: "snapshot", args: func(r *faultyRun) []string { return []string{"snapshot", "-A", "-o", r.snapshot()} }, check: checkSnapshot},
	{name: "sweep", args: words("sweep configmaps -n " + faultNamespace + " -l sweep=nothing"), check: func(*testing.T, *faultyRun) {}},
	{name: "sweep --yes", args: ofItsOwn("sweep configmaps -n " + faultNamespace + " --yes --timeout=20s -l fault="), prepare: createLabeled, check: checkDeleted},
	{name: "force-remove", args: words("force-remove ns/shop --dry-run=server --accept-leaks -o json"), check: checkPlan},
	{name: "force-remove --yes", args: ofItsOwn(forceRemoveOwn), prepare: createStuck, check: checkRemoved},
	{name: "restore", args: words("restore --dry-run=server -o json"), check: func(*testing.T, *faultyRun) {}},
	{name: "restore --yes", args: words("restore --yes"), prepare: createRemoved, check: checkRestored},
}

const forceRemoveOwn = "force-remove -n " + faultNamespace + " --accept-leaks --override-verdict --yes --timeout=20s configmap/"

func words(line string) func(*faultyRun) []string {
	return func(*faultyRun) []string { return strings.Fields(line) }
}

// ofItsOwn ends a line with the name of the run's own object.
func ofItsOwn(line string) func(*faultyRun) []string {
	return func(r *faultyRun) []string { return strings.Fields(line + r.name) }
}

func (r *faultyRun) snapshot() string { return filepath.Join(r.folder, "snapshot.tar.gz") }

// mayWrite reports whether a write is to the run's own object.
func (r *faultyRun) mayWrite(write string) bool {
	method, path, _ := strings.Cut(write, " ")
	path, _, _ = strings.Cut(path, "?")
	collection := "/api/v1/namespaces/" + faultNamespace + "/configmaps"
	return path == collection+"/"+r.name && method != "POST" || path == collection && method == "POST"
}

// finalizersOf are those of the run's own object, and whether it exists.
func (r *faultyRun) finalizersOf(t *testing.T) (finalizers string, exists bool) {
	t.Helper()
	out, errOut, code := kubectl(t, r.scene.p, "admin", "get", "configmap", r.name, "-n", faultNamespace, "--ignore-not-found", "-o", "jsonpath={.kind}{.metadata.finalizers}")
	if code != 0 {
		t.Fatal(errOut)
	}
	return strings.CutPrefix(out, "ConfigMap")
}

// again runs the command without the fault, which then finishes what the fault has left.
func (r *faultyRun) again(t *testing.T, args []string) {
	t.Helper()
	if out, errOut, code := finalizers(t, r.environment, args...); code != 0 {
		t.Errorf("without the fault %v ended with %d: %s%s", args, code, out, errOut)
	}
}

func createLabeled(t *testing.T, r *faultyRun) {
	t.Helper()
	runSetup(t, r.scene.p, "kubectl create configmap "+r.name+" -n "+faultNamespace+"\nkubectl label configmap "+r.name+" -n "+faultNamespace+" fault="+r.name)
}

func createStuck(t *testing.T, r *faultyRun) {
	t.Helper()
	runSetup(t, r.scene.p, `printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"`+r.name+`","namespace":"`+faultNamespace+`","finalizers":["faults.example.com/hold"]}}' | kubectl create -f -
kubectl delete configmap `+r.name+` -n `+faultNamespace+` --wait=false`)
}

func createRemoved(t *testing.T, r *faultyRun) {
	t.Helper()
	createStuck(t, r)
	r.again(t, strings.Fields(forceRemoveOwn+r.name))
}

// checkDeleted looks for the object that sweep was to delete.
func checkDeleted(t *testing.T, r *faultyRun) {
	t.Helper()
	_, exists := r.finalizersOf(t)
	if exists && r.code == 0 {
		t.Error("it says that it is done, and the object exists")
	}
	if exists {
		r.again(t, strings.Fields("sweep configmaps -n "+faultNamespace+" --yes -l fault="+r.name))
	}
	if _, exists := r.finalizersOf(t); exists {
		t.Error("without the fault it does not delete the object either")
	}
}

// checkRemoved looks for the object whose finalizer was to be removed, and for its saved copy.
func checkRemoved(t *testing.T, r *faultyRun) {
	t.Helper()
	_, exists := r.finalizersOf(t)
	if exists && r.code == 0 {
		t.Error("it says that it is done, and the object exists")
	}
	if !exists && !r.isSaved(t) {
		t.Error("the object is deleted, and no copy of it is saved")
	}
	if exists {
		r.again(t, strings.Fields(forceRemoveOwn+r.name))
	}
	if _, exists := r.finalizersOf(t); exists {
		t.Error("without the fault it does not remove the finalizer either")
	}
}

// isSaved reports whether there is a copy of the run's own object, and a line about its write.
func (r *faultyRun) isSaved(t *testing.T) bool {
	t.Helper()
	copies, err := filepath.Glob(filepath.Join(r.folder, "kubectl-finalizers", "*", "*", "*"+r.name+"*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	audits, err := filepath.Glob(filepath.Join(r.folder, "kubectl-finalizers", "*", "*", "audit.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return len(copies) > 0 && slices.ContainsFunc(audits, func(path string) bool {
		lines, err := os.ReadFile(path)
		return err == nil && strings.Contains(string(lines), "/configmaps/"+r.name)
	})
}

// checkRestored looks for the object that was to be recreated.
func checkRestored(t *testing.T, r *faultyRun) {
	t.Helper()
	finalizers, exists := r.finalizersOf(t)
	if r.code == 0 && !strings.Contains(finalizers, "faults.example.com/hold") {
		t.Errorf("it says that it is done, and the object has the finalizers %q (exists: %t)", finalizers, exists)
	}
	r.again(t, []string{"restore", "--yes"})
	if finalizers, _ := r.finalizersOf(t); !strings.Contains(finalizers, "faults.example.com/hold") {
		t.Errorf("without the fault the object has the finalizers %q", finalizers)
	}
}
