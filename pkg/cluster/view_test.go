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

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func TestOneIsFoundAbsentOrNeither(t *testing.T) {
	const path = "/api/v1/namespaces/shop"
	tests := map[string]struct {
		script        script
		found, absent bool
		gaps          int
	}{
		"it is there":      {script: script{path: saysAs(object("", "shop"))}, found: true},
		"it is not there":  {script: script{path: refuses(http.StatusNotFound, metav1.StatusReasonNotFound)}, absent: true},
		"nobody may look":  {script: script{path: refuses(http.StatusForbidden, metav1.StatusReasonForbidden)}, gaps: 1},
		"nobody answers":   {script: script{path: refuses(http.StatusGatewayTimeout, metav1.StatusReasonTimeout)}, gaps: 1},
		"it is of no form": {script: script{path: says(`{"kind":"Namespace","apiVersion":"v1","metadata":7}`)}, gaps: 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			see := play(t, test.script).view(t, nil)
			whole := see.Namespace("shop")
			if whole.Found() != test.found || whole.Absent() != test.absent || len(see.Gaps()) != test.gaps {
				t.Errorf("found %t, absent %t, gaps %v", whole.Found(), whole.Absent(), see.Gaps())
			}
			if whole.Found() != (whole.Value != nil) {
				t.Errorf("found %t with value %v", whole.Found(), whole.Value)
			}
			part := see.Metadata(stuck.Type{Version: "v1", Resource: "namespaces", Kind: "Namespace"}, "", "shop")
			if part.Found() != test.found || part.Absent() != test.absent {
				t.Errorf("its metadata: found %t, absent %t", part.Found(), part.Absent())
			}
		})
	}
}

func TestNoneIsSaidByACompleteAnswerAlone(t *testing.T) {
	const path = "/api/v1/namespaces/shop/pods"
	tests := map[string]struct {
		script         script
		complete, none bool
	}{
		"there are none":                  {script: script{path: says(`{"kind":"PodList","apiVersion":"v1","items":[]}`)}, complete: true, none: true},
		"there is one":                    {script: script{path: holds(object("shop", "web"))}, complete: true},
		"nobody may look":                 {script: script{}},
		"one of them is of no form":       {script: script{path: says(`{"kind":"PodList","apiVersion":"v1","items":[{"kind":"Pod","apiVersion":"v1","spec":7}]}`)}},
		"the rest of the list is no more": {script: script{path: expiring}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			see := play(t, test.script).view(t, nil)
			pods := see.Pods("shop")
			if pods.Complete != test.complete || pods.None() != test.none {
				t.Errorf("complete %t, none %t", pods.Complete, pods.None())
			}
			if got := len(see.Gaps()) == 0; got != test.complete {
				t.Errorf("gaps %v", see.Gaps())
			}
		})
	}
	if (cluster.Many[corev1.Pod]{}).None() {
		t.Error("an answer that was never given says that there are none")
	}
}

func TestEachThingIsReadOnce(t *testing.T) {
	stage := play(t, script{
		"/api/v1/nodes/a":                saysAs(object("", "a")),
		"/api/v1/nodes/b":                refuses(http.StatusNotFound, metav1.StatusReasonNotFound),
		"/api/v1/namespaces/shop/pods":   holds(object("shop", "web")),
		"/api/v1/namespaces/office/pods": holds(),
	})
	see := stage.view(t, nil, pod)
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			own := see.Apart()
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
	if diff := cmp.Diff(want, stage.requests()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestGapsBelongToWhoAsked(t *testing.T) {
	discovery := stuck.Gap{Source: "/apis/example.com/v1", Error: "stale"}
	see := play(t, script{}).view(t, []stuck.Gap{discovery})
	first, second, third := see.Apart(), see.Apart(), see.Apart()
	first.Node("a")
	first.Node("a")
	second.Node("a") // was read, and yet is a gap of the second as well
	second.Node("b")
	a := stuck.Gap{Source: "node/a", Error: "forbidden", Needs: &stuck.Right{Verb: "get", Resource: "nodes"}}
	b := stuck.Gap{Source: "node/b", Error: "forbidden", Needs: &stuck.Right{Verb: "get", Resource: "nodes"}}
	for name, test := range map[string]struct{ got, want []stuck.Gap }{
		"the first":  {first.Gaps(), []stuck.Gap{a}},
		"the second": {second.Gaps(), []stuck.Gap{a, b}},
		"the third":  {third.Gaps(), nil},
		"all":        {see.AllGaps(), []stuck.Gap{discovery, a, b}},
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
		leaving = append(leaving, object("shop", fmt.Sprintf("web-%d", i)))
	}
	survey := func() *cluster.Survey {
		out := &cluster.Survey{}
		for i := range leaving {
			out.Kept = append(out.Kept, cluster.Object(pod, &leaving[i]))
		}
		return out
	}
	tests := map[string]struct {
		script        script
		found, absent bool
	}{
		"all could be read": {script: script{"/api/v1/namespaces/shop/pods": holds(leaving...)}, found: true, absent: true},
		"none could":        {script: script{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			stage := play(t, test.script)
			see := stage.view(t, nil, pod)
			see.Represent(survey().Kept)
			for i := range leaving {
				if got := see.Pod("shop", leaving[i].Name); got.Found() != test.found || got.Absent() {
					t.Errorf("%s: found %t, absent %t", leaving[i].Name, got.Found(), got.Absent())
				}
			}
			if got := see.Pod("shop", "gone"); got.Found() || got.Absent() != test.absent {
				t.Errorf("one that is not there: found %t, absent %t", got.Found(), got.Absent())
			}
			if diff := cmp.Diff([]string{"/api/v1/namespaces/shop/pods"}, stage.requests()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// What is held for the sake of many namespaces does not grow with the cluster:
// where there are too many objects, each namespace is asked.
func TestTooManyAreNotReadInOneGo(t *testing.T) {
	var asked []stuck.Object
	lines := script{}
	for i := range 11 {
		name := fmt.Sprintf("n%d", i)
		asked = append(asked, stuck.Object{Type: pod, Namespace: name, Name: "web"})
		lines["/api/v1/namespaces/"+name] = says(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"` + name + `","labels":{"alone":"yes"}}}`)
	}
	for objects, most := range map[int]int{400: 1, 2000: 2 + len(asked)} { // requests
		t.Run(fmt.Sprint(objects), func(t *testing.T) {
			lines["/api/v1/namespaces"] = pages(objects)
			s := play(t, lines)
			see := s.view(t, nil)
			see.Represent(asked)
			for _, o := range asked {
				if ns := see.Namespace(o.Namespace); !ns.Found() || ns.Value.Name != o.Namespace {
					t.Errorf("namespace %s was not found", o.Namespace)
				}
			}
			if n := len(s.requests()); n != most {
				t.Errorf("it took %d requests and not %d", n, most)
			}
		})
	}
}

// pages are the namespaces n0, n1 and so on, 500 at a time.
func pages(objects int) http.HandlerFunc {
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
		saysAs(list)(w, r)
	}
}

func TestMinorVersion(t *testing.T) {
	for name, test := range map[string]struct {
		script script
		minor  int
		ok     bool
	}{
		"a release":       {script: script{"/version": says(`{"gitVersion":"v1.37.1"}`)}, minor: 37, ok: true},
		"a vendor's":      {script: script{"/version": says(`{"gitVersion":"v1.34.4-gke.100+meta"}`)}, minor: 34, ok: true},
		"nobody may look": {script: script{}},
		"no version":      {script: script{"/version": says(`{"gitVersion":"latest"}`)}},
	} {
		t.Run(name, func(t *testing.T) {
			see := play(t, test.script).view(t, nil)
			minor, ok := see.Minor()
			if ok != test.ok || ok && minor != test.minor || len(see.Gaps()) == 0 != test.ok {
				t.Errorf("minor version %d, %t; gaps %v", minor, ok, see.Gaps())
			}
		})
	}
}
