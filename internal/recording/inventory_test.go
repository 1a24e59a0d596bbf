package recording_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var (
	jobs    = stuck.Type{Group: "batch", Version: "v1", Resource: "jobs", Kind: "Job", Namespaced: true, Listable: true}
	roles   = stuck.Type{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles", Kind: "Role", Namespaced: true, Listable: true}
	secrets = stuck.Type{Version: "v1", Resource: "secrets", Kind: "Secret", Namespaced: true, Listable: true}
)

func objectNamed(name string) map[string]any {
	return map[string]any{"metadata": map[string]any{"namespace": "shop", "name": name, "uid": name + "-1", "labels": map[string]any{"app": name}}}
}

// replay answers from a few answers, in a cluster of which nothing else was scanned.
func replay(answers ...recording.Answer) *recording.Source {
	return (&recording.Recording{Answers: answers}).Source([]stuck.Type{pods, nodes, jobs, roles, secrets})
}

func found(question string, names ...string) recording.Answer {
	a := recording.Answer{Question: question}
	for _, name := range names {
		a.Objects = append(a.Objects, objectNamed(name))
	}
	return a
}

// question asks a recording, and says which objects it answered.
type question func(*testing.T, cluster.Source) (string, error)

func get(typ stuck.Type, name string) question {
	return func(t *testing.T, source cluster.Source) (string, error) {
		t.Helper()
		u, err := source.Get(t.Context(), typ, "shop", name)
		if err != nil {
			return "", err
		}
		return string(u.GetUID()), nil
	}
}

func metadata(typ stuck.Type, name string) question {
	return func(t *testing.T, source cluster.Source) (string, error) {
		t.Helper()
		m, err := source.Metadata(t.Context(), typ, "shop", name)
		if err != nil {
			return "", err
		}
		return string(m.UID), nil
	}
}

func list(typ stuck.Type, sel cluster.Selection) question {
	return func(t *testing.T, source cluster.Source) (string, error) {
		t.Helper()
		var names []string
		err := source.List(t.Context(), typ, sel, func(u unstructured.Unstructured) { names = append(names, u.GetName()) })
		return strings.Join(names, " "), err
	}
}

func scan(typ stuck.Type, sel cluster.Selection) question {
	return func(t *testing.T, source cluster.Source) (string, error) {
		t.Helper()
		var names []string
		err := source.Scan(t.Context(), typ, sel, func(o stuck.Object) { names = append(names, o.Name) })
		return strings.Join(names, " "), err
	}
}

func TestAnswersAreImplied(t *testing.T) {
	survey := (&recording.Recording{Scanned: []string{"shop"}, Answers: []recording.Answer{found("scan pods in shop", "web")}}).Source([]stuck.Type{pods, jobs})
	scanned, listed := replay(found("scan pods in shop", "web")), replay(found("list pods in shop", "web", "db"), found("scan jobs.batch"))
	notFound := apierrors.NewNotFound(jobs.GVR().GroupResource(), "a").Status()
	for name, test := range map[string]struct {
		source *recording.Source
		ask    question
		want   string
	}{
		"an object that a scan did not find":        {scanned, get(pods, "db"), `pods "db" not found`},
		"its metadata":                              {scanned, metadata(pods, "db"), `pods "db" not found`},
		"its name in a scan":                        {scanned, scan(pods, cluster.Selection{Namespace: "shop", Name: "db"}), ""},
		"the name of one that is there":             {scanned, scan(pods, cluster.Selection{Namespace: "shop", Name: "web"}), "web"},
		"an object of a type without objects":       {survey, get(jobs, "a"), `jobs.batch "a" not found`},
		"a list of that type":                       {survey, list(jobs, cluster.Selection{Namespace: "shop", Labels: "a=b", Fields: "c=d"}), ""},
		"an object that a list did not find":        {listed, get(pods, "gone"), `pods "gone" not found`},
		"an object that a list found":               {listed, get(pods, "web"), "web-1"},
		"a Pod's metadata":                          {listed, metadata(pods, "web"), "web-1"},
		"a scan of what was listed":                 {listed, scan(pods, shop), "db web"},
		"a list by a label":                         {listed, list(pods, cluster.Selection{Namespace: "shop", Labels: "app=db"}), "db"},
		"a scan by a label":                         {listed, scan(pods, cluster.Selection{Namespace: "shop", Labels: "app=db"}), "db"},
		"a namespace of a cluster without any":      {listed, list(jobs, shop), ""},
		"the whole of each object that was scanned": {replay(found("scan pods in shop", "web"), found("get pods/web in shop", "web")), list(pods, shop), "web"},
		"the metadata of what was not found":        {replay(recording.Answer{Question: "get jobs.batch/a in shop", Error: &notFound}), metadata(jobs, "a"), `jobs.batch "a" not found`},
	} {
		got, err := test.ask(t, test.source)
		if apierrors.IsNotFound(err) && cluster.IsObjectNotFound(err) {
			got, err = err.Error(), nil
		}
		if got != test.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", name, got, err, test.want)
		}
		if unrecorded := test.source.Unrecorded(); len(unrecorded) > 0 {
			t.Errorf("%s: %v has no answer", name, unrecorded)
		}
	}
}

// What was never asked, and does not follow from what was, has no answer, least
// of all that there is nothing.
func TestNothingIsImplied(t *testing.T) {
	forbidden := apierrors.NewForbidden(pods.GVR().GroupResource(), "", nil).Status()
	unserved := metav1.Status{Status: metav1.StatusFailure, Code: 404, Reason: metav1.StatusReasonNotFound}
	for name, test := range map[string]struct {
		recorded recording.Answer
		ask      []question
	}{
		"from what was not asked":         {found("scan jobs.batch in shop"), []question{get(pods, "web"), metadata(pods, "web"), list(pods, shop), scan(pods, shop)}},
		"from a scan that was refused":    {recording.Answer{Question: "scan pods in shop", Error: &forbidden}, []question{get(pods, "web"), list(pods, shop)}},
		"from a scan of no type":          {recording.Answer{Question: "scan pods in shop", Error: &unserved}, []question{get(pods, "web"), list(pods, shop)}},
		"from a scan that broke off":      {recording.Answer{Question: "scan pods in shop", Failure: "EOF", Objects: found("", "web").Objects}, []question{get(pods, "db"), list(pods, shop), list(pods, cluster.Selection{Namespace: "shop", Name: "db"})}},
		"from a list that broke off":      {recording.Answer{Question: "list pods in shop", Failure: "EOF", Objects: found("", "web").Objects}, []question{get(pods, "web"), scan(pods, shop)}},
		"from a scan by labels":           {found("scan pods in shop with labels a=b"), []question{get(pods, "web"), list(pods, shop), scan(pods, shop)}},
		"from a scan by name":             {found("scan pods in shop named db"), []question{get(pods, "web"), scan(pods, shop)}},
		"from another namespace":          {found("scan pods in garden"), []question{get(pods, "web"), scan(pods, cluster.Selection{})}},
		"of what a scan found":            {found("scan pods in shop", "web"), []question{get(pods, "web"), metadata(pods, "web"), list(pods, shop), scan(pods, cluster.Selection{Namespace: "shop", Labels: "app=db"})}},
		"of a field":                      {found("list pods in shop", "web"), []question{list(pods, cluster.Selection{Namespace: "shop", Fields: "spec.nodeName=a"})}},
		"of managed fields":               {found("list jobs.batch in shop", "a"), []question{metadata(jobs, "a")}},
		"from a list of roles":            {found("list roles.rbac.authorization.k8s.io in shop", "a"), []question{get(roles, "system:b")}},
		"of Secrets, which are not read":  {found("scan secrets in shop"), []question{get(secrets, "a"), list(secrets, shop)}},
		"of nodes, from pods of the same": {found("scan pods", "a"), []question{get(nodes, "a"), scan(nodes, cluster.Selection{})}},
	} {
		source := replay(test.recorded)
		for i, ask := range test.ask {
			_, err := ask(t, source)
			if err == nil || apierrors.IsNotFound(err) || !strings.HasPrefix(err.Error(), "not in the recording: ") {
				t.Errorf("%s, question %d: %v", name, i, err)
			}
		}
		if n := len(source.Unrecorded()); n != len(test.ask) {
			t.Errorf("%s: %d questions have no answer, not %d", name, n, len(test.ask))
		}
	}
}

// A failed read outweighs one of a wider or a narrower kind that did not fail.
func TestAFailureIsNotOutvoted(t *testing.T) {
	source := replay(found("scan pods in shop"), recording.Answer{Question: "scan pods", Failure: "EOF"})
	if _, err := source.Get(t.Context(), pods, "shop", "web"); err == nil || apierrors.IsNotFound(err) {
		t.Errorf("%v", err)
	}
	if _, err := scan(pods, shop)(t, source); err != nil {
		t.Errorf("what was recorded itself: %v", err)
	}
}

// Whoever scanned one type of a namespace knows nothing of another's.
func TestOneTypeIsNoSurvey(t *testing.T) {
	types := []stuck.Type{pods, jobs}
	for name, test := range map[string]struct {
		scanned []stuck.Type
		want    []string
		err     string
	}{
		"one type":   {[]stuck.Type{jobs}, nil, "not in the recording: scan pods in shop"},
		"every type": {types, []string{"shop"}, "<nil>"},
	} {
		recorder := recording.NewRecorder((&recording.Recording{Scanned: []string{"shop"}}).Source(types), types)
		if _, _, err := recorder.Types(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, typ := range test.scanned {
			if _, err := scan(typ, shop)(t, recorder); err != nil {
				t.Fatal(err)
			}
		}
		recorded := recorder.Recording()
		_, err := scan(pods, shop)(t, recorded.Source(types))
		if _, asked := scan(jobs, shop)(t, recorded.Source(types)); asked != nil || fmt.Sprint(err) != test.err || !slices.Equal(recorded.Scanned, test.want) {
			t.Errorf("%s: %v, %v, scanned %q", name, err, asked, recorded.Scanned)
		}
	}
}

// What was scanned in a namespace is also read whole, Secrets apart.
func TestScannedObjectsAreReadWhole(t *testing.T) {
	types := []stuck.Type{pods, jobs, secrets}
	original := replay(found("scan pods in shop", "web"), found("list pods in shop", "web"), found("scan secrets in shop", "key"),
		found("list secrets in shop", "key"), found("scan jobs.batch in shop", "a"))
	recorder := recording.NewRecorder(original, types)
	for _, typ := range types {
		if _, err := scan(typ, shop)(t, recorder); err != nil {
			t.Fatal(err)
		}
	}
	recorder.ReadWhole(t.Context())
	var questions []string
	for _, a := range recorder.Recording().Answers {
		questions = append(questions, a.Question)
	}
	want := []string{"list pods in shop", "scan jobs.batch in shop", "scan pods in shop", "scan secrets in shop"}
	if !slices.Equal(questions, want) { // the jobs could not be listed, which is not recorded
		t.Errorf("%q, want %q", questions, want)
	}
}

func TestWhoAskedWhatIsNotRecorded(t *testing.T) {
	story := recording.Scenario{Name: "pod-is-stuck", Causes: []string{"node-lost"}}
	const explain = `{"gaps": [{"source": "node/a", "message": "not in the recording: get nodes/a"}, {"source": "pods", "message": "not in the recording: list pods"}],
		"notRuledOut": [{"cause": "node-lost", "source": "node/a"}, {"cause": "pods-first", "source": "pods"}]}`
	for question, want := range map[string]string{
		"list pods":   "<nil>",
		"get nodes/a": `the recording does not answer "get nodes/a", which node-lost asks: make story NAME=pod-is-stuck`,
		"version":     `the recording does not answer "version", which is asked whatever the causes are: make story NAME=pod-is-stuck`,
	} {
		if got := fmt.Sprint(story.CheckUnrecorded(explain, []string{question})); got != want {
			t.Errorf("%s: %s, want %s", question, got, want)
		}
	}
}
