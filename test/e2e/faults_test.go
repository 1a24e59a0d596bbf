package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/faults"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/story"
)

var (
	faultRounds = flag.Uint64("faults", 28, "how many schedules of faults are played")
	faultSeed   = flag.Uint64("fault-seed", 1, "the seed of the first of them")
)

// faultStories make a cluster with a verdict of each kind, and causes that rest on Leases, dry runs, metrics and lists.
var faultStories = []string{
	"carts-hold-a-namespace", "claim-is-in-use", "operator-crashes", "operator-is-scaled-to-zero", "webhook-is-gone", "node-does-not-answer",
	"crossplane-config-is-missing", "load-balancer-is-still-used",
}

// commandLimit is when a command has to be at its end, whatever the server does: the time that it is given, and what a busy
// machine needs on top.
const commandLimit = 90 * time.Second

// TestFaults holds of a broken server, by many schedules of faults: each command ends, says nothing that is not so without
// the fault, gives no all-clear, and writes nothing that it was not asked for.
func TestFaults(t *testing.T) {
	t.Parallel()
	p := ownPlane(t)
	for _, name := range faultStories {
		s, err := story.Load(filepath.Join(scenarios, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Play(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	var truth map[string]faultyDiagnosis
	eventually(t, func() error {
		truth = diagnosesOf(t, p)
		if v := truth["Widget shop/w1"].Diagnosis.Verdict; v != stuck.ControllerGone {
			return fmt.Errorf("the widget's verdict is %q", v)
		}
		if bucket := truth["Bucket /invoices"]; !bucket.has("controller-gone") { // its type came last, and nobody is missed there for 90 seconds
			return fmt.Errorf("the causes of the bucket are %v", bucket.Diagnosis.Causes)
		}
		return nil
	})
	state := saveCopies(t, p)
	t.Run("schedules", func(t *testing.T) {
		for i := range *faultRounds {
			schedule := faults.Random(*faultSeed + i)
			t.Run(schedule.String(), func(t *testing.T) {
				t.Parallel()
				playFaults(t, p, schedule, truth, state)
			})
		}
	})
}

// faultyCommands are played in turn, so that every kind of fault meets each of them.
var faultyCommands = [][]string{
	{"list", "-A", "-o", "json", "--exit-code"},
	{"explain", "ns/shop", "-o", "json"},
	{"health", "--exit-code", "-o", "json", "--for", "3s"},
	{"force-remove", "ns/shop", "--dry-run=server", "--accept-leaks", "-o", "json"},
	{"restore", "--dry-run=server", "-o", "json"},
	{"list", "-A", "--all", "-o", "json", "--exit-code"},
}

// saveCopies is a folder with the copies of an object whose finalizer was removed by force, for restore.
func saveCopies(t *testing.T, p *plane.Plane) (state string) {
	t.Helper()
	runSetup(t, p, `
printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"copied","namespace":"default","finalizers":["faults.example.com/hold"]}}' | kubectl create -f -
kubectl delete configmap copied --wait=false
`)
	state = t.TempDir()
	out, errOut, code := finalizers(t, append(p.Env(plane.Admin), "XDG_STATE_HOME="+state), "force-remove", "cm/copied", "-n", "default", "--accept-leaks", "--override-verdict", "--yes")
	if code != 0 {
		t.Fatalf("force-remove ended with %d: %s%s", code, out, errOut)
	}
	return state
}

func playFaults(t *testing.T, p *plane.Plane, schedule faults.Schedule, truth map[string]faultyDiagnosis, state string) {
	t.Helper()
	proxy := faults.New(reverseProxy(t, p), schedule)
	address := serveProxy(t, proxy, func(http.ResponseWriter, *http.Request) bool { return false })
	command := faultyCommands[int(schedule.Seed/uint64(len(faults.Kinds())))%len(faultyCommands)]
	if schedule.Seed%3 == 0 {
		command = faultyCommands[0]
	}
	began := time.Now()
	out, errOut, code := finalizers(t, append(p.Env(plane.Admin), "XDG_STATE_HOME="+state), append(slices.Clone(command), "--server", address, "--request-timeout=20s")...)
	if took := time.Since(began); took > commandLimit {
		t.Errorf("%v took %s", command, took)
	}
	if writes := proxy.Writes(); len(writes) > 0 {
		t.Errorf("%v wrote: %v", command, writes)
	}
	if strings.Contains(errOut, "goroutine ") {
		t.Errorf("%v panicked:\n%s", command, errOut)
	}
	said, err := readDiagnoses(out)
	if err != nil && code == 0 {
		t.Errorf("%v ended with 0 and printed %q: %v", command, out, err)
	}
	for _, d := range said.all() {
		if wrong := d.contradicts(truth[d.key()]); wrong != "" {
			t.Errorf("%v says of %s %s\n%s%s", command, d.key(), wrong, out, errOut)
		}
	}
	if code == 0 && slices.Contains(command, "--exit-code") {
		t.Errorf("%v gave an all-clear:\n%s%s", command, out, errOut)
	}
}

// faultyDiagnosis is what a document says of one object.
type faultyDiagnosis struct {
	Kind      string
	Metadata  struct{ Namespace, Name string }
	Diagnosis struct {
		Verdict stuck.Verdict
		Causes  []struct {
			ID        string
			BlockedBy *struct{ Kind, Namespace, Name string }
		}
	}
	WaitsFor []faultyDiagnosis
}

func (d faultyDiagnosis) key() string {
	return d.Kind + " " + d.Metadata.Namespace + "/" + d.Metadata.Name
}

// has reports whether a cause is among those of the object itself.
func (d faultyDiagnosis) has(cause string) bool {
	for _, c := range d.Diagnosis.Causes {
		if c.ID == cause {
			return true
		}
	}
	return false
}

// contradicts names what is said and is not so without the fault. Less may be said, and not otherwise.
func (d faultyDiagnosis) contradicts(truth faultyDiagnosis) string {
	if truth.Kind == "" {
		return "that it is stuck"
	}
	if v := d.Diagnosis.Verdict; v != truth.Diagnosis.Verdict && v != stuck.Unknown {
		return fmt.Sprintf("verdict %s, and it is %s", v, truth.Diagnosis.Verdict)
	}
	for _, c := range d.Diagnosis.Causes {
		if !truth.has(c.ID) {
			return fmt.Sprintf("%s, and the causes are %v", c.ID, truth.Diagnosis.Causes)
		}
	}
	return ""
}

type faultyDocument struct {
	Items  []faultyDiagnosis
	Target *faultyDiagnosis
}

func (d faultyDocument) all() []faultyDiagnosis {
	all := slices.Clone(d.Items)
	if d.Target != nil {
		all = append(all, *d.Target)
	}
	return all
}

func readDiagnoses(out string) (faultyDocument, error) {
	var read faultyDocument
	return read, json.Unmarshal([]byte(out), &read)
}

// diagnosesOf is what list says without a fault.
func diagnosesOf(t *testing.T, p *plane.Plane) map[string]faultyDiagnosis {
	t.Helper()
	out, errOut, code := kubectl(t, p, plane.Admin, "finalizers", "list", "-A", "-o", "json")
	read, err := readDiagnoses(out)
	if err != nil || code != 0 {
		t.Fatalf("list ended with %d: %v %s", code, err, errOut)
	}
	truth := map[string]faultyDiagnosis{}
	for _, d := range read.Items {
		truth[d.key()] = d
	}
	return truth
}
