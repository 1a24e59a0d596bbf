package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// faultyDiagnosis is what a document says of one object.
type faultyDiagnosis struct {
	APIVersion, Kind, Resource string
	Metadata                   struct{ Namespace, Name, DeletionTimestamp string }
	// Verdict is that of an object in a plan.
	Verdict   stuck.Verdict
	Diagnosis struct {
		Verdict stuck.Verdict
		Causes  []faultyCause
	}
	WaitsFor []faultyDiagnosis
}

type faultyCause struct {
	ID        string
	BlockedBy *struct{ Kind, Namespace, Name string }
}

func (c faultyCause) String() string {
	if c.BlockedBy == nil {
		return c.ID
	}
	return fmt.Sprint(c.ID, " by ", *c.BlockedBy)
}

func (d faultyDiagnosis) key() string {
	return d.Kind + " " + d.Metadata.Namespace + "/" + d.Metadata.Name
}

// groupResource is the type as a gap names it.
func (d faultyDiagnosis) groupResource() string {
	gv, _ := schema.ParseGroupVersion(d.APIVersion) // a document's own
	return gv.WithResource(d.Resource).GroupResource().String()
}

// has reports whether a cause is among those of the object itself.
func (d faultyDiagnosis) has(cause string) bool {
	return slices.ContainsFunc(d.Diagnosis.Causes, func(c faultyCause) bool { return c.ID == cause || c.String() == cause })
}

// contradicts names what is said and is not so without the fault. Less may be said, and not otherwise.
func (d faultyDiagnosis) contradicts(truth faultyDiagnosis) string {
	if truth.Kind == "" {
		return "that it is stuck"
	}
	for _, v := range []stuck.Verdict{d.Verdict, d.Diagnosis.Verdict} {
		if v != "" && v != stuck.Unknown && v != truth.Diagnosis.Verdict {
			return fmt.Sprintf("verdict %s, and it is %s", v, truth.Diagnosis.Verdict)
		}
	}
	for _, c := range d.Diagnosis.Causes {
		// Where the configurations cannot be read, a webhook goes by the name that the API server gives in its error.
		byName := c.BlockedBy != nil && c.BlockedBy.Kind == "Webhook" && truth.has(c.ID)
		// Where not all content of a namespace can be read, what is read of it can be a single object.
		isPart := c.ID == cause.NamespaceContentRemains.ID && c.BlockedBy != nil && c.BlockedBy.Namespace == d.Metadata.Name && truth.has(c.ID)
		if !truth.has(c.String()) && !byName && !isPart {
			return fmt.Sprintf("%s, and the causes are %v", c, truth.Diagnosis.Causes)
		}
	}
	return ""
}

// faultyDocument is a StuckList, an Explanation or a RemovalPlan.
type faultyDocument struct {
	Items    []faultyDiagnosis
	Target   *faultyDiagnosis
	WaitsFor []faultyDiagnosis
	Steps    []faultyDiagnosis
	Gaps     []report.Gap
}

// wantTrue demands that nothing is said that is not so.
func (r *faultyRun) wantTrue(t *testing.T, document faultyDocument) {
	t.Helper()
	said := slices.Concat(document.Items, document.Steps)
	if document.Target != nil {
		said = append(said, *document.Target)
	}
	for _, d := range said {
		if d.Metadata.DeletionTimestamp == "" && d.Diagnosis.Verdict == "" {
			continue // list --all has it for its finalizers
		}
		if d.Metadata.Namespace == faultNamespace {
			continue // a run beside this one makes it, and deletes it
		}
		if wrong := d.contradicts(r.scene.truth[d.key()]); wrong != "" {
			t.Errorf("of %s it says %s", d.key(), wrong)
		}
	}
	r.wantTrueTree(t, document.WaitsFor)
}

// wantTrueTree does so of what an object waits for, which need not be stuck itself.
func (r *faultyRun) wantTrueTree(t *testing.T, waitsFor []faultyDiagnosis) {
	t.Helper()
	for _, d := range waitsFor {
		if truth, stuck := r.scene.truth[d.key()]; stuck {
			if wrong := d.contradicts(truth); wrong != "" {
				t.Errorf("of %s it says %s", d.key(), wrong)
			}
		}
		r.wantTrueTree(t, d.WaitsFor)
	}
}

// document reads what was printed. There is none where the command failed.
func (r *faultyRun) document(t *testing.T) (document faultyDocument, printed bool) {
	t.Helper()
	if r.code == 1 && r.out == "" {
		if strings.TrimSpace(r.errOut) == "" {
			t.Error("it failed without a word")
		}
		return document, false
	}
	if err := json.Unmarshal([]byte(r.out), &document); err != nil {
		t.Errorf("it prints no document: %v", err)
		return document, false
	}
	return document, true
}

func checkNoAllClear(t *testing.T, r *faultyRun) {
	t.Helper()
	if r.code == 0 {
		t.Error("it gives an all-clear")
	}
}

func checkList(t *testing.T, r *faultyRun) {
	t.Helper()
	checkNoAllClear(t, r)
	if document, printed := r.document(t); printed {
		r.wantTrue(t, document)
		r.wantComplete(t, document)
	}
}

// wantComplete demands that what is not listed is in a gap.
func (r *faultyRun) wantComplete(t *testing.T, document faultyDocument) {
	t.Helper()
	for key, truth := range r.scene.truth {
		listed := slices.ContainsFunc(document.Items, func(d faultyDiagnosis) bool { return d.key() == key })
		covered := slices.ContainsFunc(document.Gaps, func(g report.Gap) bool {
			return g.Resource == "" || g.Resource == truth.groupResource() && (g.Namespace == "" || g.Namespace == truth.Metadata.Namespace)
		})
		if !listed && !covered {
			t.Errorf("it leaves out %s without a gap for it", key)
		}
	}
}

func checkExplain(t *testing.T, r *faultyRun) {
	t.Helper()
	if document, printed := r.document(t); printed {
		r.wantTrue(t, document)
	}
}

// checkPlan looks at a plan whose dry run was carried out.
func checkPlan(t *testing.T, r *faultyRun) {
	t.Helper()
	if r.code == 0 {
		document, _ := r.document(t)
		r.wantTrue(t, document)
	}
}

// checkWait looks at a deletion that does not end.
func checkWait(t *testing.T, r *faultyRun) {
	t.Helper()
	checkNoAllClear(t, r)
	if strings.Contains(r.out, `"event":"Deleted"`) || strings.Contains(r.out, "condition met") {
		t.Error("it says that the namespace is deleted")
	}
}

// checkSnapshot lists what is stuck in the snapshot.
func checkSnapshot(t *testing.T, r *faultyRun) {
	t.Helper()
	if _, err := os.Stat(r.snapshot()); err != nil {
		checkNoAllClear(t, r)
		return
	}
	r.out, r.errOut, r.code = finalizers(t, r.environment, "list", "-A", "--from", r.snapshot(), "-o", "json", "--exit-code")
	checkList(t, r)
}

// healthSubject is an object that health reports.
type healthSubject struct{ Kind, Namespace, Name string }

type healthDocument struct {
	Checks []struct {
		Check    string
		Problems []struct{ Subject healthSubject }
	}
}

// blamedKinds are those that health must not report for a fault of somebody else.
var blamedKinds = []string{"Deployment", "StatefulSet", "DaemonSet", "Pod", "Lease", "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"}

func (d healthDocument) subjects() map[healthSubject]bool {
	subjects := map[healthSubject]bool{}
	for _, check := range d.Checks {
		for _, problem := range check.Problems {
			if slices.Contains(blamedKinds, problem.Subject.Kind) {
				subjects[problem.Subject] = true
			}
		}
	}
	return subjects
}

// healthProblems are the objects that health reports without a fault.
func healthProblems(t *testing.T, p *plane.Plane) map[healthSubject]bool {
	t.Helper()
	return readDocument[healthDocument](t, p, plane.Admin, "health", "--for", "3s").subjects()
}

func checkHealth(t *testing.T, r *faultyRun) {
	t.Helper()
	checkNoAllClear(t, r)
	var document healthDocument
	if err := json.Unmarshal([]byte(r.out), &document); err != nil && r.code != 1 {
		t.Errorf("it prints no document: %v", err)
	}
	for subject := range document.subjects() {
		if !r.scene.problems[subject] {
			t.Errorf("it reports %v", subject)
		}
	}
}

// diagnosesOf is what list says without a fault.
func diagnosesOf(t *testing.T, p *plane.Plane) map[string]faultyDiagnosis {
	t.Helper()
	document := readDocument[faultyDocument](t, p, plane.Admin, "list", "-A")
	truth := map[string]faultyDiagnosis{}
	for _, d := range document.Items {
		truth[d.key()] = d
	}
	return truth
}
