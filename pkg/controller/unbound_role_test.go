package controller_test

import (
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// The role that lost its binding is told apart from those of people, of other controllers and of what is aggregated.
func TestUnboundRole(t *testing.T) {
	role := func(name, more, verbs string) string {
		return "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: " + name + more +
			"}\nrules: [{apiGroups: [example.com], resources: [widgets], verbs: [" + verbs + "]}]"
	}
	const all = "get, list, watch, update"
	operator := role("widget-operator", "", all)
	everything := strings.ReplaceAll(strings.ReplaceAll(role("everything", "", all), "[example.com]", "['*']"), "[widgets]", "['*']")
	aggregate := role("sum", "", all) + "\naggregationRule: {clusterRoleSelectors: [{matchLabels: {part: of-sum}}]}"
	binding := "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: b}\nroleRef: {kind: ClusterRole, name: widget-operator}"
	for name, test := range map[string]struct {
		objects []string
		want    string
	}{
		"the operator's":              {[]string{operator}, "widget-operator"},
		"among those of people":       {[]string{operator, role("view", "", "get, list, watch"), everything}, "widget-operator"},
		"still bound":                 {[]string{operator, binding}, ""},
		"one of two":                  {[]string{operator, role("other", "", all)}, ""},
		"only to read":                {[]string{role("view", "", "get, list, watch")}, ""},
		"of Kubernetes itself":        {[]string{role("admin", ", labels: {kubernetes.io/bootstrapping: rbac-defaults}", all)}, ""},
		"made of others":              {[]string{aggregate, role("part", ", labels: {part: of-sum}", all)}, "sum"},
		"only of people's":            {[]string{everything}, ""},
		"on the finalizers alone":     {[]string{strings.ReplaceAll(operator, "[widgets]", "[widgets/finalizers]")}, ""},
		"there is no role at all":     {nil, ""},
		"for a name that is not w1's": {[]string{strings.ReplaceAll(operator, "resources:", "resourceNames: [w2], resources:")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			view := newFakeSource(t, strings.Join(test.objects, "\n---\n")).view()
			if got := controller.UnboundRole(view, cluster.Workload{}, controller.Controller{Object: w1}); got != test.want || len(view.Gaps()) > 0 {
				t.Errorf("got %q, want %q, gaps %v", got, test.want, view.Gaps())
			}
		})
	}
}

// A role that allows to write pods may be anyone's.
func TestUnboundRoleOfBuiltInTypes(t *testing.T) {
	view := newFakeSource(t, `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: debugger}
rules: [{apiGroups: [""], resources: [pods], verbs: [get, list, watch, update]}]`).view()
	pod := stuck.Object{Type: cluster.PodType, Namespace: "shop", Name: "web"}
	if got := controller.UnboundRole(view, cluster.Workload{}, controller.Controller{Object: pod}); got != "" {
		t.Errorf("got %q", got)
	}
}
