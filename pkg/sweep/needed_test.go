package sweep

import (
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/preflight"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// What others need is kept: the object that they lose, or else what it is in. If it is not known which that is, all is kept.
func TestKeepNeeded(t *testing.T) {
	namespaces := stuck.Type{Version: "v1", Resource: "namespaces", SingularName: "namespace", Kind: "Namespace"}
	deployments := stuck.Type{Group: "apps", Version: "v1", Resource: "deployments", Kind: "Deployment", Namespaced: true}
	all := []Item{
		{Object: stuck.Object{Type: namespaces, Name: "boxes"}, Action: Delete},
		{Object: stuck.Object{Type: namespaces, Name: "other"}, Action: Delete},
		{Object: stuck.Object{Type: namespaces, Name: "being-deleted"}, Action: Wait},
		{Object: stuck.Object{Type: deployments, Namespace: "apps", Name: "operator"}, Action: Delete},
		{Object: stuck.Object{Type: deployments, Namespace: "apps", Name: "server"}, Action: Delete},
	}
	operator := func(namespace string) stuck.Finding {
		return stuck.Finding{BlockedBy: stuck.Culprit{APIVersion: "apps/v1", Kind: "Deployment", Namespace: namespace, Name: "operator"}, Message: "the controller is deleted"}
	}
	webhook := stuck.Finding{BlockedBy: stuck.Culprit{Kind: "ValidatingWebhookConfiguration", Name: "checks"}}
	for name, test := range map[string]struct {
		other preflight.Other
		want  []string
	}{
		"a controller in a namespace":      {preflight.Other{Finding: operator("boxes")}, []string{"boxes"}},
		"a controller that is selected":    {preflight.Other{Finding: operator("apps")}, []string{"operator"}},
		"the server of a webhook":          {preflight.Other{Finding: webhook, BackendNamespace: "other"}, []string{"other"}},
		"one of several behind a webhook":  {preflight.Other{Finding: webhook, BackendNamespace: "apps"}, []string{"operator", "server"}},
		"something without a namespace":    {preflight.Other{Finding: webhook}, []string{"boxes", "other", "operator", "server"}},
		"something in no selected of them": {preflight.Other{Finding: operator("elsewhere")}, []string{"boxes", "other", "operator", "server"}},
	} {
		items := slices.Clone(all)
		test.other.Objects = []stuck.Tally{{Name: "boxes.example.com", Singular: "box.example.com", Objects: 1}}
		test.other.Namespaces = []string{"w2"}
		// One operator may have several finalizers, and each is an Other.
		kept := KeepNeeded(items, []preflight.Other{test.other, test.other})
		var got []string
		for _, i := range items {
			if i.Action == Keep {
				got = append(got, i.Object.Name)
				if !strings.HasPrefix(i.Reason, "1 box.example.com -n w2 would get stuck when deleted later: ") {
					t.Errorf("%s: the reason is %q", name, i.Reason)
				}
			}
		}
		if !kept || !slices.Equal(got, test.want) || items[2].Action != Wait {
			t.Errorf("%s: kept %v, not %v", name, got, test.want)
		}
	}
	if KeepNeeded(slices.Clone(all), nil) {
		t.Error("something is kept for nobody")
	}
}
