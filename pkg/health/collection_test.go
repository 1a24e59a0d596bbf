package health

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Before 1.34 kube-controller-manager requests no streamed lists, so nothing of it waits for their end.
func TestImpactOfEndlessStreams(t *testing.T) {
	for version, want := range map[string]bool{"v1.33.9": false, "v1.34.0": true, "v1.37.1": true, "unknown": true} {
		source := (&recording.Recording{Time: now, Version: version}).Source([]stuck.Type{widgets})
		c := &checker{Options: Options{Types: []stuck.Type{widgets}}, view: cluster.NewView(t.Context(), source, []stuck.Type{widgets}, nil)}
		impact := strings.Join(c.streamImpact(streamResult{Type: widgets, Service: &cluster.ServiceReference{Namespace: "ops", Name: "widgets"}}), "; ")
		if got := strings.Contains(impact, "from 1.34 on, the garbage collector"); got != want {
			t.Errorf("%s: %s", version, impact)
		}
		if !want && c.addUncollected(t.Context(), &stuck.Problem{}, widgets, maxOwnersRead) != 0 {
			t.Errorf("%s: owners were read", version)
		}
	}
}

// Events are in no ResourceQuota, so the quota controller does not wait for them.
func TestQuotaImpact(t *testing.T) {
	for group, want := range map[string]bool{"": false, "events.k8s.io": false, "example.com": true} {
		got := quotaImpact(stuck.Type{Group: group, Version: "v1", Resource: "events", Kind: "Event", Namespaced: true, Watchable: true})
		if len(got) > 0 != want {
			t.Errorf("events of %q: %q", group, got)
		}
	}
}

// The owners of some objects are read, of all types together.
func TestOwnersReadAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newServerChecker(t, func(*http.Request) (int, any) {
			var all []metav1.PartialObjectMetadata
			for n := range 15 {
				o := objectAt(fmt.Sprintf("uid-%d", n), "9")
				o.Name, o.OwnerReferences = fmt.Sprintf("w%d", n), []metav1.OwnerReference{{APIVersion: "example.com/v1", Kind: "Widget", Name: "gone", UID: "gone"}}
				all = append(all, o)
			}
			return http.StatusOK, objectList(all...)
		})
		c.view = newRecordedChecker(t).view
		gadgets := widgets
		gadgets.Resource, gadgets.Kind = "gadgets", "Gadget"
		c.Types = []stuck.Type{gadgets, widgets}
		streams := map[schema.GroupVersionResource]streamResult{}
		for _, r := range c.Types {
			streams[r.GVR()] = streamResult{Type: r, State: streamEndless, Service: &cluster.ServiceReference{Namespace: "ops", Name: "widgets"}}
		}
		c.endlessStreams(t.Context(), streams, nil)
		read := 0
		for _, gap := range c.view.AllGaps() {
			if strings.HasPrefix(gap.Source, "widget.example.com/w") || strings.HasPrefix(gap.Source, "gadget.example.com/w") {
				read++
			}
		}
		if read != maxOwnersRead {
			t.Errorf("%d objects were read, not %d: %v", read, maxOwnersRead, c.view.AllGaps())
		}
	})
}
