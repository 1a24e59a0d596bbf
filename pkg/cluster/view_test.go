package cluster_test

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func TestOneIsFoundAbsentOrNeither(t *testing.T) {
	const path = "/api/v1/namespaces/shop"
	tests := map[string]struct {
		script        fakeapi.Responses
		found, absent bool
		gaps          int
	}{
		"it is there":       {script: fakeapi.Responses{path: fakeapi.RespondJSON(fakeapi.Object("", "shop"))}, found: true},
		"it does not exist": {script: fakeapi.Responses{path: fakeapi.RespondStatus(http.StatusNotFound, metav1.StatusReasonNotFound)}, absent: true},
		"nobody may look":   {script: fakeapi.Responses{path: fakeapi.RespondStatus(http.StatusForbidden, metav1.StatusReasonForbidden)}, gaps: 1},
		"a timeout":         {script: fakeapi.Responses{path: fakeapi.RespondStatus(http.StatusGatewayTimeout, metav1.StatusReasonTimeout)}, gaps: 1},
		"it is of no form":  {script: fakeapi.Responses{path: fakeapi.Respond(`{"kind":"Namespace","apiVersion":"v1","metadata":7}`)}, gaps: 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			view := fakeapi.Start(t, test.script).View(t, nil)
			whole := view.Namespace("shop")
			if whole.Found() != test.found || whole.Absent() != test.absent || len(view.Gaps()) != test.gaps {
				t.Errorf("found %t, absent %t, gaps %v", whole.Found(), whole.Absent(), view.Gaps())
			}
			if whole.Found() != (whole.Value != nil) {
				t.Errorf("found %t with value %v", whole.Found(), whole.Value)
			}
			part := view.Metadata(stuck.Type{Version: "v1", Resource: "namespaces", Kind: "Namespace"}, "", "shop")
			if part.Found() != test.found || part.Absent() != test.absent {
				t.Errorf("its metadata: found %t, absent %t", part.Found(), part.Absent())
			}
		})
	}
}

func TestNoneIsSaidByACompleteAnswerAlone(t *testing.T) {
	const path = "/api/v1/namespaces/shop/pods"
	tests := map[string]struct {
		script         fakeapi.Responses
		complete, none bool
	}{
		"there are none":                  {script: fakeapi.Responses{path: fakeapi.Respond(`{"kind":"PodList","apiVersion":"v1","items":[]}`)}, complete: true, none: true},
		"there is one":                    {script: fakeapi.Responses{path: fakeapi.RespondList(fakeapi.Object("shop", "web"))}, complete: true},
		"nobody may look":                 {script: fakeapi.Responses{}},
		"one of them is of no form":       {script: fakeapi.Responses{path: fakeapi.Respond(`{"kind":"PodList","apiVersion":"v1","items":[{"kind":"Pod","apiVersion":"v1","spec":7}]}`)}},
		"the rest of the list is no more": {script: fakeapi.Responses{path: expiring}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			view := fakeapi.Start(t, test.script).View(t, nil)
			pods := view.Pods("shop")
			if pods.Complete != test.complete || pods.IsKnownEmpty() != test.none {
				t.Errorf("complete %t, none %t", pods.Complete, pods.IsKnownEmpty())
			}
			if got := len(view.Gaps()) == 0; got != test.complete {
				t.Errorf("gaps %v", view.Gaps())
			}
		})
	}
	if (cluster.List[corev1.Pod]{}).IsKnownEmpty() {
		t.Error("an answer that was never given says that there are none")
	}
}

func TestEachThingIsReadOnce(t *testing.T) {
	fake := fakeapi.Start(t, fakeapi.Responses{
		"/api/v1/nodes/a":                fakeapi.RespondJSON(fakeapi.Object("", "a")),
		"/api/v1/nodes/b":                fakeapi.RespondStatus(http.StatusNotFound, metav1.StatusReasonNotFound),
		"/api/v1/namespaces/shop/pods":   fakeapi.RespondList(fakeapi.Object("shop", "web")),
		"/api/v1/namespaces/office/pods": fakeapi.RespondList(),
	})
	view := fake.View(t, nil, fakeapi.Pod)
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			own := view.Scoped()
			own.Node("a")
			own.Node("b")
			own.Node("c") // refused
			own.Pods("shop")
			own.Dependents(stuck.Object{Namespace: "office", UID: "x"})
			if len(own.Gaps()) != 1 {
				t.Errorf("gaps: %v", own.Gaps())
			}
		})
	}
	group.Wait()
	want := []string{"/api/v1/namespaces/office/pods", "/api/v1/namespaces/shop/pods", "/api/v1/nodes/a", "/api/v1/nodes/b", "/api/v1/nodes/c"}
	if diff := cmp.Diff(want, fake.Requests()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestGapsBelongToWhoAsked(t *testing.T) {
	discovery := stuck.Gap{Source: "/apis/example.com/v1", Error: "stale"}
	view := fakeapi.Start(t, fakeapi.Responses{}).View(t, []stuck.Gap{discovery})
	first, second, third := view.Scoped(), view.Scoped(), view.Scoped()
	first.Node("a")
	first.Node("a")
	second.Node("a") // was read, and yet is a gap of the second as well
	second.Node("b")
	a := stuck.Gap{Source: "node/a", Error: "forbidden", MissingPermission: &stuck.Permission{Verb: "get", Resource: "nodes"}}
	b := stuck.Gap{Source: "node/b", Error: "forbidden", MissingPermission: &stuck.Permission{Verb: "get", Resource: "nodes"}}
	for name, test := range map[string]struct{ got, want []stuck.Gap }{
		"the first":  {first.Gaps(), []stuck.Gap{a}},
		"the second": {second.Gaps(), []stuck.Gap{a, b}},
		"the third":  {third.Gaps(), nil},
		"all":        {view.AllGaps(), []stuck.Gap{discovery, a, b}},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("gaps of %s (-want +got):\n%s", name, diff)
		}
	}
}

// Many Pods that are asked about are read in one go, and one that is not among
// them is absent only if all could be read.
func TestManyPodsAreReadInOneGo(t *testing.T) {
	var leaving []metav1.PartialObjectMetadata
	for i := range 20 {
		leaving = append(leaving, fakeapi.Object("shop", fmt.Sprintf("web-%d", i)))
	}
	survey := func() *cluster.Survey {
		out := &cluster.Survey{}
		for i := range leaving {
			out.Objects = append(out.Objects, stuck.ObjectOf(fakeapi.Pod, leaving[i].ObjectMeta))
		}
		return out
	}
	tests := map[string]struct {
		script        fakeapi.Responses
		found, absent bool
	}{
		"all could be read": {script: fakeapi.Responses{"/api/v1/namespaces/shop/pods": fakeapi.RespondList(leaving...)}, found: true, absent: true},
		"none could":        {script: fakeapi.Responses{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			fake := fakeapi.Start(t, test.script)
			view := fake.View(t, nil, fakeapi.Pod)
			view = view.ForObjects(survey().Objects)
			for i := range leaving {
				if got := view.Pod("shop", leaving[i].Name); got.Found() != test.found || got.Absent() {
					t.Errorf("%s: found %t, absent %t", leaving[i].Name, got.Found(), got.Absent())
				}
			}
			if got := view.Pod("shop", "gone"); got.Found() || got.Absent() != test.absent {
				t.Errorf("one that does not exist: found %t, absent %t", got.Found(), got.Absent())
			}
			if diff := cmp.Diff([]string{"/api/v1/namespaces/shop/pods"}, fake.Requests()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// What is held for the sake of many namespaces does not grow with the cluster:
// where there are too many objects, each namespace is asked.
func TestTooManyAreNotReadInOneGo(t *testing.T) {
	var asked []stuck.Object
	lines := fakeapi.Responses{}
	for i := range 11 {
		name := fmt.Sprintf("n%d", i)
		asked = append(asked, stuck.Object{Type: fakeapi.Pod, Namespace: name, Name: "web"})
		lines["/api/v1/namespaces/"+name] = fakeapi.Respond(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"` + name + `","labels":{"alone":"yes"}}}`)
	}
	for objects, most := range map[int]int{400: 1, 2000: 2 + len(asked)} { // requests
		t.Run(fmt.Sprint(objects), func(t *testing.T) {
			lines["/api/v1/namespaces"] = respondNamespacePages(objects)
			s := fakeapi.Start(t, lines)
			view := s.View(t, nil)
			view = view.ForObjects(asked)
			for _, o := range asked {
				if ns := view.Namespace(o.Namespace); !ns.Found() || ns.Value.Name != o.Namespace {
					t.Errorf("namespace %s was not found", o.Namespace)
				}
			}
			if n := len(s.Requests()); n != most {
				t.Errorf("it took %d requests and not %d", n, most)
			}
		})
	}
}

// respondNamespacePages are the namespaces n0, n1 and so on, 500 at a time.
func respondNamespacePages(objects int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		from, _ := strconv.Atoi(r.URL.Query().Get("continue"))
		to := min(from+500, objects)
		list := corev1.NamespaceList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "NamespaceList"}}
		for i := from; i < to; i++ {
			list.Items = append(list.Items, corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("n%d", i)}})
		}
		if to < objects {
			list.Continue = strconv.Itoa(to)
		}
		fakeapi.RespondJSON(list)(w, r)
	}
}

func TestMinorVersion(t *testing.T) {
	for name, test := range map[string]struct {
		script fakeapi.Responses
		minor  int
		ok     bool
	}{
		"a release":       {script: fakeapi.Responses{"/version": fakeapi.Respond(`{"gitVersion":"v1.37.1"}`)}, minor: 37, ok: true},
		"a vendor's":      {script: fakeapi.Responses{"/version": fakeapi.Respond(`{"gitVersion":"v1.34.4-gke.100+meta"}`)}, minor: 34, ok: true},
		"nobody may look": {script: fakeapi.Responses{}},
		"no version":      {script: fakeapi.Responses{"/version": fakeapi.Respond(`{"gitVersion":"latest"}`)}},
	} {
		t.Run(name, func(t *testing.T) {
			view := fakeapi.Start(t, test.script).View(t, nil)
			minor, ok := view.MinorVersion()
			if ok != test.ok || ok && minor != test.minor || len(view.Gaps()) == 0 != test.ok {
				t.Errorf("minor version %d, %t; gaps %v", minor, ok, view.Gaps())
			}
		})
	}
}
