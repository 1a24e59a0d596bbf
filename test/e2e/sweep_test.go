package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/sweep"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// sweepScene has fifty namespaces with a label. Each holds a ConfigMap, and five of these have a finalizer that nothing removes.
const sweepScene = `
for i in $(seq 1 50); do
  finalizers=
  if [ $((i % 10)) = 0 ]; then finalizers='"sweep.example.com/hold"'; fi
  printf '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"sweep-%s","labels":{"sweep":"fifty"}}}\n' $i
  printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings","namespace":"sweep-%s","finalizers":[%s]}}\n' $i "$finalizers"
done | kubectl create -f - >/dev/null
`

// sweepNow runs sweep, with a folder for its state.
func sweepNow(t *testing.T, p *plane.Plane, folder string, args ...string) (out, errOut string, code int) {
	t.Helper()
	out, errOut, code = finalizers(t, append(p.Env(plane.Admin), "XDG_STATE_HOME="+folder), append([]string{"sweep"}, args...)...)
	t.Logf("$ kubectl finalizers sweep %s\n%s%s(%d)", strings.Join(args, " "), out, errOut, code)
	return out, errOut, code
}

// sweepDocument runs sweep with -o json.
func sweepDocument(t *testing.T, p *plane.Plane, folder string, args ...string) (document report.SweepReport, code int) {
	t.Helper()
	out, errOut, code := finalizers(t, append(p.Env(plane.Admin), "XDG_STATE_HOME="+folder), append([]string{"sweep", "-o", "json"}, args...)...)
	if err := json.Unmarshal([]byte(out), &document); err != nil {
		t.Fatalf("sweep %v printed no document: %v\n%s%s", args, err, out, errOut)
	}
	return document, code
}

// countResults counts the results of a sweep.
func countResults(document report.SweepReport) map[sweep.Result]int {
	count := map[sweep.Result]int{}
	for _, i := range document.Items {
		count[i.Result]++
	}
	return count
}

// TestSweep deletes fifty namespaces of which five hang: at first as a dry run, then beyond its limits, and three times in earnest.
func TestSweep(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, sweepScene)
	folder := t.TempDir()
	mark, err := p.Mark(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]struct {
		code    int
		message string
	}{
		"-l sweep=fifty":                                       {0, "To delete these objects, add --yes."},
		"-l sweep=fifty --yes --max-objects=49":                {3, "50 objects are selected, and --max-objects is 49; nothing was deleted"},
		"-l sweep=fifty --yes --max-percent=1":                 {3, "and --max-percent is 1; nothing was deleted"},
		"-l sweep=fifty --yes --older-than=1d":                 {0, "Nothing is to be deleted; 50 kept."},
		"-l sweep=fifty --yes --ttl-annotation=example.com/no": {0, "Nothing is to be deleted; 0 kept."},
	} {
		if _, errOut, code := sweepNow(t, p, folder, strings.Fields(args)...); code != want.code || !strings.Contains(errOut, want.message) {
			t.Errorf("sweep %s ended with %d and said %s", args, code, errOut)
		}
	}
	if deletes := sentDeletes(t, p, mark); len(deletes) > 0 {
		t.Errorf("it deleted: %v", deletes)
	}
	for n, stall := range []string{"30s", "1s", "1s"} {
		sweepAgain(t, p, folder, n+1, stall)
	}
	if document, code := sweepDocument(t, p, folder, "-l", "sweep=fifty", "--yes", "--stall=1s", "--stuck-for=5"); code != 0 || len(document.Items)+len(document.Stuck) != 0 {
		t.Errorf("what has not been stuck for long enough ended with %d: %v", code, countResults(document))
	}
	checkSweepAudit(t, p, folder, mark)
	runSetup(t, p, `
		for i in 10 20 30 40 50; do kubectl patch configmap settings -n sweep-$i --type=merge -p '{"metadata":{"finalizers":[]}}'; done
		kubectl delete namespace -l sweep=fifty --wait=false`)
}

// sweepAgain is the sweep with a number, of which the first deletes all that can be deleted.
func sweepAgain(t *testing.T, p *plane.Plane, folder string, n int, stall string) {
	t.Helper()
	mark, err := p.Mark(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	document, code := sweepDocument(t, p, folder, "-l", "sweep=fifty", "--yes", "--stall="+stall, "--stuck-for="+fmt.Sprint(n))
	count := countResults(document)
	t.Logf("sweep %d took %s: %v", n, time.Since(began).Round(time.Millisecond), count)
	logSweepRequests(t, p, mark)
	if want := map[int]int{1: 45}[n]; code != 2 || count[sweep.Deleted] != want || count[sweep.Stuck] != 5 || count[sweep.Held] != 5 || len(document.Stuck) != 5 {
		t.Errorf("sweep %d ended with %d: %v", n, code, count)
	}
	for _, i := range document.Items {
		if i.Sweeps != n && i.Result != sweep.Deleted {
			t.Errorf("%s was left by %d sweeps, not %d", i.Metadata.Name, i.Sweeps, n)
		}
	}
}

// sentDeletes are the deletes that the plugin has sent since the mark.
func sentDeletes(t *testing.T, p *plane.Plane, mark plane.Mark) (paths []string) {
	t.Helper()
	requests, err := p.Requests(t.Context(), mark)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range requests {
		if r.Verb == "delete" && strings.HasPrefix(r.UserAgent, "kubectl-finalizers/") && strings.Contains(r.URI, "/sweep-") {
			path, _, _ := strings.Cut(r.URI, "?")
			paths = append(paths, path)
		}
	}
	return paths
}

// logSweepRequests counts the requests of sweeps by verb.
func logSweepRequests(t *testing.T, p *plane.Plane, mark plane.Mark) {
	t.Helper()
	requests, err := p.Requests(t.Context(), mark)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, r := range requests {
		if strings.HasPrefix(r.UserAgent, "kubectl-finalizers/") {
			count[r.Verb]++
		}
	}
	t.Logf("requests: %v", count)
}

// checkSweepAudit expects two lines in the audit file for each delete.
func checkSweepAudit(t *testing.T, p *plane.Plane, folder string, mark plane.Mark) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "kubectl-finalizers", "*", "sweep", "audit.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the audit files are %v: %v", files, err)
	}
	content, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range sentDeletes(t, p, mark) {
		if n := strings.Count(string(content), `"request":"DELETE `+path+`"`); n != 2 {
			t.Errorf("the audit file has %d lines for %s", n, path)
		}
	}
}

// checkSystemIsKept sweeps an object in a namespace of the system, and whatever has no namespace.
func checkSystemIsKept(t *testing.T, p *plane.Plane) {
	t.Helper()
	out, _, code := sweepNow(t, p, t.TempDir(), "configmaps", "-A", "--yes")
	wantWords(t, out, []string{"configmap/expired -n kube-system Kept - it is of the system"})
	if code != 0 {
		t.Errorf("it ended with %d", code)
	}
	all, _, err := connect(t, p, "").Types(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-l", "!sweep", "--older-than=1s", "--max-objects=1000"}
	for _, typ := range all {
		if typ.Listable && !typ.Namespaced && !slices.Contains([]string{"componentstatuses", "namespaces", "customresourcedefinitions.apiextensions.k8s.io"}, typ.String()) {
			args = append(args, typ.String())
		}
	}
	document, code := sweepDocument(t, p, t.TempDir(), args...)
	count := map[string]int{}
	for _, item := range document.Items {
		count[item.Kind]++
		isOfTests := strings.HasPrefix(item.Metadata.Name, "plane-")
		if !isOfTests && (item.Action != sweep.Keep || item.Reason != "it is of the system") {
			t.Errorf("%s %s: %s, %s", item.Kind, item.Metadata.Name, item.Action, item.Reason)
		}
	}
	t.Logf("kept: %v", count)
	if code != 0 || count["ClusterRole"] == 0 || count["PriorityClass"] == 0 || count["FlowSchema"] == 0 || count["APIService"] == 0 || count["ServiceCIDR"] == 0 {
		t.Errorf("it ended with %d; kept: %v", code, count)
	}
}

// TestSweepExpired deletes what has expired, and keeps what is of the system or says something that cannot be read.
func TestSweepExpired(t *testing.T) {
	p := ownPlane(t) // in another one it would see what other tests have
	runSetup(t, p, `
		for name in gone later forever wrong openshift-expired; do kubectl create namespace $name; done
		kubectl annotate namespace gone openshift-expired kube-public default janitor/expires=2020-01-31
		kubectl annotate namespace later k8s-ttl-controller.twin.sh/ttl=1w2d
		kubectl annotate namespace forever janitor/ttl=forever
		kubectl annotate namespace wrong janitor/ttl=soon janitor/expires=2020-01-31
		kubectl label namespace gone later forever wrong openshift-expired kube-system default env=preview
		kubectl create configmap expired -n kube-system
		kubectl annotate configmap expired -n kube-system janitor/expires=2020-01-31`)
	checkSystemIsKept(t, p)
	for _, args := range [][]string{{"--yes"}, {"--yes", "-l", "env=preview"}} {
		out, _, code := sweepNow(t, p, t.TempDir(), args...)
		wantWords(t, out, []string{"namespace/later Kept - k8s-ttl-controller.twin.sh/ttl=1w2d expires in 8d", "namespace/wrong Kept", "namespace/openshift-expired Kept - it is of the system", "namespace/default Kept"})
		if code != 0 {
			t.Errorf("it ended with %d", code)
		}
	}
	left, _, _ := kubectl(t, p, plane.Admin, "get", "namespaces", "-o", "jsonpath={.items[*].metadata.name}")
	want := []string{"default", "forever", "kube-node-lease", "kube-public", "kube-system", "later", "openshift-expired", "wrong"}
	if got := strings.Fields(left); !slices.Equal(got, want) {
		t.Errorf("these namespaces are left: %v", got)
	}
	runSetup(t, p, `
		kubectl create namespace last
		kubectl label namespace last env=last
		kubectl apply -f - <<'END'
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.sweep.example.org}
spec: {group: sweep.example.org, version: v1, groupPriorityMinimum: 100, versionPriority: 100, insecureSkipTLSVerify: true, service: {name: none, namespace: default}}
END
		until kubectl finalizers list -A 2>&1 | grep -q sweep.example.org; do sleep 0.2; done`)
	if _, errOut, code := sweepNow(t, p, t.TempDir(), "-l", "env=last"); code != 4 || !strings.Contains(errOut, "could not read /apis/sweep.example.org/v1") {
		t.Errorf("with types that could not be read it ended with %d: %s", code, errOut)
	}
}
