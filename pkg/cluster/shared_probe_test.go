package cluster_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// scattered are similar widgets, two in each of some namespaces.
func scattered(namespaces int) (out []stuck.Object) {
	for i := range 2 * namespaces {
		out = append(out, stuck.Object{
			Type:      fakeapi.Widget,
			Namespace: fmt.Sprintf("n%d", i/2), Name: fmt.Sprintf("w%d", i), UID: types.UID(fmt.Sprintf("uid-%d", i)),
			DeletionTime: time.Unix(1, 0), Finalizers: []string{"example.com/a"},
		})
	}
	return out
}

// TestProbesOfKubernetesTypesAreNotShared: what admission plugins of the API server say of a Pod or a claim depends on its namespace.
func TestProbesOfKubernetesTypesAreNotShared(t *testing.T) {
	objects := scattered(11)
	for i := range objects {
		objects[i].Type = stuck.Type{Version: "v1", Resource: "persistentvolumeclaims", Kind: "PersistentVolumeClaim", Namespaced: true}
	}
	s := fakeapi.Start(t, acceptPatches(objects))
	view := s.View(t, nil).WithSharedProbes(selecting()).ForObjects(objects)
	for _, o := range objects {
		view.Probe(o)
	}
	if got := countDryRuns(s); got != len(objects) {
		t.Errorf("%d dry runs were sent, and not %d", got, len(objects))
	}
}

// acceptPatches answers the requests for objects in many namespaces as a healthy API server does.
func acceptPatches(objects []stuck.Object) fakeapi.Responses {
	script := fakeapi.Responses{
		reviewsPath: fakeapi.Respond(`{"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","status":{"allowed":true}}`),
		"/apis/apiregistration.k8s.io/v1/apiservices/v1.example.com": fakeapi.Respond(`{"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService","metadata":{"name":"v1.example.com"}}`),
	}
	var namespaces []metav1.PartialObjectMetadata
	for i, o := range objects {
		script[o.Path()] = fakeapi.RespondJSON(fakeapi.Object(o.Namespace, o.Name))
		if i%2 == 0 {
			namespaces = append(namespaces, fakeapi.Object("", o.Namespace, func(m *metav1.PartialObjectMetadata) { m.Labels = map[string]string{"name": o.Namespace} }))
		}
	}
	script["/api/v1/namespaces"] = fakeapi.RespondJSON(fakeapi.ListOf("", namespaces...))
	return script
}

// selecting returns these selectors, for each type.
func selecting(selectors ...*metav1.LabelSelector) cluster.UpdateSelectors {
	return func(*cluster.View, stuck.Type) []*metav1.LabelSelector { return selectors }
}

// Of similar objects in many namespaces one is tried, unless something that differs between namespaces, or that is not
// known, may reject the update of another.
func TestProbesAreSharedBetweenNamespaces(t *testing.T) {
	forbidden := fakeapi.RespondStatus(http.StatusForbidden, metav1.StatusReasonForbidden)
	reject := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":403,"reason":"Forbidden","message":"admission webhook \"w.example.com\" denied the request: no"}`)
	}
	tests := map[string]struct {
		namespaces int
		selectors  cluster.UpdateSelectors
		change     func(fakeapi.Responses)
		want       int // dry runs
	}{
		"admission is shown nothing":       {namespaces: 11, selectors: selecting(), want: 1},
		"the namespaces are few":           {namespaces: 10, selectors: selecting(), want: 20},
		"a webhook is shown all":           {namespaces: 11, selectors: selecting(nil), want: 22},
		"a policy leaves nothing out":      {namespaces: 11, selectors: selecting(&metav1.LabelSelector{}), want: 22},
		"a webhook is shown one namespace": {namespaces: 11, selectors: selecting(&metav1.LabelSelector{MatchLabels: map[string]string{"name": "n4"}}), want: 3},
		"the webhooks are not known": {namespaces: 11, want: 22, selectors: func(v *cluster.View, _ stuck.Type) []*metav1.LabelSelector {
			v.AddGaps(stuck.Gap{Source: "webhooks", Error: "forbidden"})
			return nil
		}},
		"nobody says what admission is shown": {namespaces: 11, want: 22},
		"the first is rejected":               {namespaces: 11, selectors: selecting(), want: 22, change: func(s fakeapi.Responses) { s["/apis/example.com/v1/namespaces/n0/widgets/w0"] = reject }},
		"labels of namespaces are not known": {namespaces: 11, want: 22, selectors: selecting(&metav1.LabelSelector{MatchLabels: map[string]string{"name": "n4"}}), change: func(s fakeapi.Responses) {
			s["/api/v1/namespaces"] = forbidden
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			objects := scattered(test.namespaces)
			script := acceptPatches(objects)
			if test.change != nil {
				test.change(script)
			}
			s := fakeapi.Start(t, script)
			view := s.View(t, nil).WithSharedProbes(test.selectors).ForObjects(objects)
			for _, o := range objects {
				if result := view.Probe(o); result.Accepted == (result.Rejection != nil) || result.Object.UID != o.UID != result.Representative {
					t.Errorf("%s: %+v", o.Name, result)
				}
			}
			if got := countDryRuns(s); got != test.want {
				t.Errorf("%d dry runs were sent, and not %d", got, test.want)
			}
			if gaps := view.AllGaps(); len(gaps) > 0 {
				t.Errorf("what was only to spare requests is a gap: %v", gaps)
			}
		})
	}
}

func countDryRuns(s *fakeapi.Server) (n int) {
	for _, r := range s.Received {
		if r.Method == http.MethodPatch && r.URL.Query().Get("dryRun") == metav1.DryRunAll {
			n++
		}
	}
	return n
}

// The metadata of many objects of a type is read in one list. What the list does not say is asked of each object.
func TestMetadataOfManyObjectsIsListed(t *testing.T) {
	const list = "/apis/example.com/v1/widgets"
	objects := scattered(11)
	var all []metav1.PartialObjectMetadata
	for _, o := range objects {
		all = append(all, fakeapi.Object(o.Namespace, o.Name))
	}
	more := fakeapi.ListOf("more", all...)
	remaining := int64(10 * len(all))
	more.RemainingItemCount = &remaining
	forbidden := fakeapi.RespondStatus(http.StatusForbidden, metav1.StatusReasonForbidden)
	tests := map[string]struct {
		objects []stuck.Object
		list    http.HandlerFunc
		want    int // requests
	}{
		"all are in the list":         {objects: objects, list: fakeapi.RespondList(all...), want: 1},
		"they are few":                {objects: objects[:10], list: fakeapi.RespondList(all...), want: 10},
		"one was deleted":             {objects: objects, list: fakeapi.RespondList(all[1:]...), want: 2},
		"the type has many more":      {objects: objects, list: fakeapi.RespondJSON(more), want: 1 + len(objects)},
		"nobody may list":             {objects: objects, list: forbidden, want: 1 + len(objects)},
		"the list is cut off":         {objects: objects, list: fakeapi.Respond(`{"kind":"PartialObjectMeta`), want: 1 + len(objects)},
		"others of that name are not": {objects: objects, list: fakeapi.RespondList(fakeapi.Object("elsewhere", "w0")), want: 1 + len(objects)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			script := acceptPatches(objects)
			script[list] = test.list
			script[objects[0].Path()] = fakeapi.RespondStatus(http.StatusNotFound, metav1.StatusReasonNotFound)
			s := fakeapi.Start(t, script)
			view := s.View(t, nil).ForObjects(test.objects)
			for i, o := range test.objects {
				m := view.MetadataOf(o)
				switch listed := test.want == 1; {
				case i == 0 && !listed:
					if !m.Absent() {
						t.Errorf("%s is not absent: %+v", o.Name, m)
					}
				case !m.Found() || m.Value.Name != o.Name || m.Value.Namespace != o.Namespace:
					t.Errorf("%s: %+v", o.Name, m)
				}
			}
			if got := s.Requests(); len(got) != test.want {
				t.Errorf("%d requests were sent, and not %d:\n%s", len(got), test.want, strings.Join(got, "\n"))
			}
			if gaps := view.AllGaps(); len(gaps) > 0 {
				t.Errorf("gaps: %v", gaps)
			}
		})
	}
}

// An object that another stands for is not among those whose metadata is read.
func TestRepresentedObjectsAreNotListed(t *testing.T) {
	pods := stuckPods("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l")
	for i := range pods {
		pods[i].Type = stuck.Type{Version: "v1", Resource: "configmaps", Kind: "ConfigMap", Namespaced: true}
	}
	first := pods[0]
	s := fakeapi.Start(t, fakeapi.Responses{first.Path(): fakeapi.RespondJSON(fakeapi.Object(first.Namespace, first.Name))})
	if m := s.View(t, nil).ForObjects(pods).MetadataOf(first); !m.Found() {
		t.Error("the first was not read")
	}
	if diff := cmp.Diff([]string{first.Path()}, s.Requests()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}
