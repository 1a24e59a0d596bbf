package diagnose_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// tickets is the type that the garbage collector of the story cannot read.
const tickets = "tickets.desk.example.com"

// What blocks an old garbage collector is said where it is so, and nowhere
// else.
func TestGarbageCollectorBlocked(t *testing.T) {
	silent := stuck.Culprit{}
	converter := stuck.Culprit{Kind: "CustomResourceDefinition", Name: tickets}
	for name, test := range map[string]struct {
		of     string
		change func(*recording.Recording)
		want   stuck.Culprit
		leak   stuck.Leak
	}{
		"no dependents":            {"index", nil, converter, stuck.LeakObjects},
		"dependents nobody tried":  {"shelf", nil, converter, stuck.LeakObjects},
		"dependents to be kept":    {"ledger", nil, converter, stuck.LeakData},
		"as old as it gets":        {"index", version("v1.20.0"), converter, stuck.LeakObjects},
		"the version that goes on": {"index", version("v1.32.0"), silent, ""},
		"a newer version":          {"ledger", version("v1.37.1"), silent, ""},
		"no version":               {"index", version("?"), silent, ""},
		"a dependent on its way":   {"shelf", deleteDependent, silent, ""},
		"dependents out of sight":  {"index", refuse("scan secrets in library"), silent, ""},
		"a type nobody can watch":  {"index", changeType(func(t *stuck.Type) { t.Watchable = false }), silent, ""},
		"a type not discovered":    {"index", changeType(func(t *stuck.Type) { t.Stale = true }), silent, ""},
		"a type out of sight":      {"index", refuse("scan " + tickets), silent, ""},
		"a slow extension server":  {"index", extension(504, metav1.StatusReasonTimeout), silent, ""},
		"an extension server": {
			"index", extension(503, metav1.StatusReasonServiceUnavailable),
			stuck.Culprit{Kind: "APIService", Name: "v2.desk.example.com"},
			stuck.LeakObjects,
		},
		"a damaged object": {
			"index", fail(500, metav1.StatusReasonInternalError, "unexpected end of JSON input"),
			stuck.Culprit{Kind: "Ticket"},
			stuck.LeakObjects,
		},
		"a version that was removed":    {"index", fail(500, metav1.StatusReasonInternalError, inVersion("v0")), converter, stuck.LeakObjects},
		"a version that is there again": {"index", fail(500, metav1.StatusReasonInternalError, inVersion("v1")), silent, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := collectorFinding(t, test.of, test.change)
			if f.BlockedBy != test.want || f.OnForce.Leaves != test.leak {
				t.Errorf("%v is to blame, and it would leak %q: %q", f.BlockedBy, f.OnForce.Leaves, f.Message)
			}
			if test.want != silent && (f.Certainty != stuck.Likely || f.Verdict != stuck.Blocked) {
				t.Errorf("it is %s and %s", f.Certainty, f.Verdict)
			}
		})
	}
}

// collectorFinding is what the cause says of a configmap of the story whose
// recording was changed.
func collectorFinding(t *testing.T, configmap string, change func(*recording.Recording)) stuck.Finding {
	t.Helper()
	root := "../../testdata/older/v1.31.4"
	r, err := recording.Load(filepath.Join(root, "converter-blocks-the-collector"))
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(r)
	}
	types, err := recording.LoadTypes(root)
	if err != nil {
		t.Fatal(err)
	}
	source := r.Source(types)
	types, gaps, err := source.Types(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	view := cluster.NewView(t.Context(), source, types, gaps)
	configmaps, _ := view.TypeForKind(schema.GroupKind{Kind: "ConfigMap"})
	var found []stuck.Finding
	err = source.Scan(t.Context(), configmaps, cluster.Selection{Namespace: "library"}, func(o stuck.Object) {
		if o.Name == configmap && cause.GarbageCollectorBlocked.Applies(o) {
			found = cause.GarbageCollectorBlocked.Find(view, o)
		}
	})
	if err != nil || len(found) > 1 {
		t.Fatal(found, err)
	}
	return append(found, stuck.Finding{})[0]
}

func version(is string) func(*recording.Recording) {
	return func(r *recording.Recording) { r.Version = is }
}

func changeType(change func(*stuck.Type)) func(*recording.Recording) {
	return func(r *recording.Recording) {
		change(&r.Types[slices.IndexFunc(r.Types, func(t stuck.Type) bool { return t.String() == tickets })])
	}
}

// answer puts another answer in the place of one, or of none.
func answer(r *recording.Recording, another recording.Answer) {
	r.Answers = slices.DeleteFunc(r.Answers, func(a recording.Answer) bool { return a.Question == another.Question })
	r.Answers = append(r.Answers, another)
}

func refuse(question string) func(*recording.Recording) {
	return func(r *recording.Recording) {
		answer(r, recording.Answer{Question: question, Error: &metav1.Status{Code: 403, Reason: metav1.StatusReasonForbidden}})
	}
}

// fail lets the list of tickets fail in another way.
func fail(code int32, reason metav1.StatusReason, message string) func(*recording.Recording) {
	return func(r *recording.Recording) {
		answer(r, recording.Answer{Question: "scan " + tickets, Error: &metav1.Status{Code: code, Reason: reason, Message: message}})
	}
}

// inVersion is what the API server says of a ticket that is stored in a version which it does not know.
func inVersion(version string) string {
	return "StorageError: corrupt object, Code: 7, Key: /registry/desk.example.com/tickets/desk/t1, ResourceVersion: 0, AdditionalErrorMsg: " +
		"object not decodable revision=9: request to convert CR from an invalid group/version: desk.example.com/" + version
}

// extension serves the tickets from a server of their own, which fails.
func extension(code int32, reason metav1.StatusReason) func(*recording.Recording) {
	return func(r *recording.Recording) {
		fail(code, reason, "the server is currently unable to handle the request")(r)
		answer(r, recording.Answer{Question: "get apiservices.apiregistration.k8s.io/v2.desk.example.com", Objects: []map[string]any{{
			"metadata": map[string]any{"name": "v2.desk.example.com"},
			"spec":     map[string]any{"service": map[string]any{"namespace": "desk-system", "name": "tickets"}},
		}}})
	}
}

// deleteDependent lets the dependent of the shelf be deleted, and stay.
func deleteDependent(r *recording.Recording) {
	for _, a := range r.Answers {
		for _, object := range a.Objects {
			if u := (unstructured.Unstructured{Object: object}); strings.HasPrefix(a.Question, "scan configmaps") && u.GetName() == "book" {
				now := metav1.NewTime(r.Time)
				u.SetDeletionTimestamp(&now)
			}
		}
	}
}
