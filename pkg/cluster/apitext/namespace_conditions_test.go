package apitext_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
)

func condition(typ corev1.NamespaceConditionType, status corev1.ConditionStatus, reason, message string) corev1.NamespaceCondition {
	return corev1.NamespaceCondition{Type: typ, Status: status, Reason: reason, Message: message}
}

// The wordings of Kubernetes 1.37, and those it once had.
func TestReportOf(t *testing.T) {
	for name, test := range map[string]struct {
		condition corev1.NamespaceCondition
		want      apitext.NamespaceDeletion
	}{
		"resources of the core group and of another": {
			condition("NamespaceContentRemaining", "True", "SomeResourcesRemain", "Some resources are remaining: pods. has 1 resource instances, widgets.example.com has 20 resource instances"),
			apitext.NamespaceDeletion{Remaining: map[schema.GroupResource]int{{Resource: "pods"}: 1, {Group: "example.com", Resource: "widgets"}: 20}},
		},
		"finalizers": {
			condition("NamespaceFinalizersRemaining", "True", "SomeFinalizersRemain", "Some content in the namespace has finalizers remaining: example.com/a in 2 resource instances, orphan in 1 resource instances"),
			apitext.NamespaceDeletion{Finalizers: map[string]int{"example.com/a": 2, "orphan": 1}},
		},
		"finalizers, by their older name": {
			condition("NamespaceFinalizersRemaining", "True", "SomeFinalizerRemain", "Some finalizers are remaining: example.com/a in 2 resource instances"),
			apitext.NamespaceDeletion{Finalizers: map[string]int{"example.com/a": 2}},
		},
		"nothing remains": {
			condition("NamespaceContentRemaining", "False", "ContentRemoved", "All content successfully removed"),
			apitext.NamespaceDeletion{AllRemoved: true},
		},
		"discovery": {
			condition("NamespaceDeletionDiscoveryFailure", "True", "DiscoveryFailed", "Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: a/v1: gone"),
			apitext.NamespaceDeletion{DiscoveryFailure: "Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: a/v1: gone"},
		},
		"errors with commas in them": {
			condition("NamespaceDeletionContentFailure", "True", "ContentDeletionFailed", `Failed to delete all resource types, 3 remaining: Internal error occurred: failed calling webhook "a.b.c": Post "x": service "y", not found, menus.example.com "lunch" is forbidden: no, never, unexpected items still remain in namespace: shop for gvr: /v1, Resource=pods`),
			apitext.NamespaceDeletion{ContentFailures: []string{
				`Internal error occurred: failed calling webhook "a.b.c": Post "x": service "y", not found`,
				`menus.example.com "lunch" is forbidden: no, never`,
				`unexpected items still remain in namespace: shop for gvr: /v1, Resource=pods`,
			}},
		},
		"an error without words before it": {
			condition("NamespaceDeletionContentFailure", "True", "ContentDeletionFailed", "it\n  failed"),
			apitext.NamespaceDeletion{ContentFailures: []string{"it failed"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := apitext.ParseNamespaceConditions([]corev1.NamespaceCondition{test.condition})
			if test.want.Remaining == nil {
				test.want.Remaining = map[schema.GroupResource]int{}
			}
			if test.want.Finalizers == nil {
				test.want.Finalizers = map[string]int{}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What Kubernetes 1.34.4 and 1.37.1 answer.
func TestRefusalIn(t *testing.T) {
	menu := schema.GroupResource{Group: "kitchen.example.com", Resource: "menus"}
	for failure, want := range map[string]apitext.Rejection{
		`Internal error occurred: failed calling webhook "guard.example.com": failed to call webhook: Post "https://guard.system.svc:443/?timeout=10s": service "guard" not found`: {
			By: apitext.WebhookFailed, Name: "guard.example.com", Message: `Post "https://guard.system.svc:443/?timeout=10s": service "guard" not found`,
		},
		`admission webhook "guard.example.com" denied the request: not today`:          {By: apitext.WebhookDenied, Name: "guard.example.com", Message: "not today"},
		`admission webhook "guard.example.com" denied the request without explanation`: {By: apitext.WebhookDenied, Name: "guard.example.com", Message: "no reason given"},
		`menus.kitchen.example.com "system:lunch" is forbidden: ValidatingAdmissionPolicy 'keep' with binding 'all' denied request: not released`: {
			By: apitext.PolicyDenied, Name: "keep", Binding: "all", PolicyKind: apitext.ValidatingPolicy, Message: "not released", Resource: menu,
		},
		`pods "web" is forbidden: admission webhook "guard.example.com" denied the request: no`: {
			By: apitext.WebhookDenied, Name: "guard.example.com", Message: "no", Resource: schema.GroupResource{Resource: "pods"},
		},
	} {
		got, ok := apitext.ParseRejection(failure)
		if diff := cmp.Diff(want, got); !ok || diff != "" {
			t.Errorf("%s (-want +got):\n%s", failure, diff)
		}
	}
	for _, failure := range []string{
		`secrets "x" is forbidden: User "y" cannot delete resource "secrets"`,
		`etcdserver: it said: admission webhook "guard.example.com" denied the request: no`,
	} {
		if got, ok := apitext.ParseRejection(failure); ok {
			t.Errorf("%s is taken for %+v", failure, got)
		}
	}
}

func TestUnexpectedIn(t *testing.T) {
	for failure, want := range map[string]schema.GroupResource{
		"unexpected items still remain in namespace: shop for gvr: /v1, Resource=pods":                    {Resource: "pods"},
		"unexpected items still remain in namespace: shop for gvr: example.com/v1beta1, Resource=widgets": {Group: "example.com", Resource: "widgets"},
	} {
		if got, ok := apitext.ParseUnexpectedItems(failure); !ok || got != want {
			t.Errorf("%s: %v", failure, got)
		}
	}
	if got, ok := apitext.ParseUnexpectedItems("something else"); ok {
		t.Errorf("found %v", got)
	}
}

// Nothing that a controller may write makes it fail, and no failure is longer
// than what was written.
func FuzzReportOf(f *testing.F) {
	f.Add("Failed to delete all resource types, 2 remaining: a, Internal error occurred: failed calling webhook \"x\": y")
	f.Add("Some resources are remaining: pods. has 99999999999999999999 resource instances")
	f.Fuzz(func(t *testing.T, message string) {
		var all []corev1.NamespaceCondition
		for _, typ := range []corev1.NamespaceConditionType{
			corev1.NamespaceDeletionContentFailure, corev1.NamespaceContentRemaining, corev1.NamespaceFinalizersRemaining,
		} {
			all = append(all, condition(typ, "True", "", message))
		}
		report := apitext.ParseNamespaceConditions(all)
		for _, failure := range report.ContentFailures {
			if failure == "" || !strings.Contains(strings.Join(strings.Fields(message), " "), failure) {
				t.Errorf("%q is not in %q", failure, message)
			}
			apitext.ParseRejection(failure)
			apitext.ParseUnexpectedItems(failure)
		}
	})
}
