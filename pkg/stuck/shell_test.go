package stuck_test

import (
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func TestCommand(t *testing.T) {
	tests := map[string]struct {
		namespace string
		args      []string
		want      string
	}{
		"no arguments":            {"", nil, "kubectl"},
		"cluster-scoped":          {"", []string{"get", "node/n1"}, "kubectl get node/n1"},
		"in a namespace":          {"shop", []string{"get", "pod", "web-0", "-o", "yaml"}, "kubectl -n shop get pod web-0 -o yaml"},
		"every harmless sign":     {"", []string{"aZ09@%+=:,./_-"}, "kubectl aZ09@%+=:,./_-"},
		"a name of RBAC":          {"", []string{"get", "clusterrole", "system:node"}, "kubectl get clusterrole system:node"},
		"a blank":                 {"", []string{"get", "a b"}, "kubectl get 'a b'"},
		"nothing":                 {"", []string{"get", ""}, "kubectl get ''"},
		"a single quote":          {"", []string{"it's"}, `kubectl 'it'\''s'`},
		"a substitution":          {"", []string{"$(reboot)", "`reboot`"}, "kubectl '$(reboot)' '`reboot`'"},
		"a command behind":        {"", []string{"a;reboot", "a&b", "a|b", "a>b"}, "kubectl 'a;reboot' 'a&b' 'a|b' 'a>b'"},
		"a pattern":               {"", []string{"/debug/*", "a?", "[a]", "~"}, "kubectl '/debug/*' 'a?' '[a]' '~'"},
		"a new line":              {"", []string{"a\nb"}, "kubectl 'a\nb'"},
		"a letter beyond ASCII":   {"", []string{"é"}, "kubectl 'é'"},
		"a namespace of no sense": {"a b", []string{"get", "pods"}, "kubectl -n 'a b' get pods"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := stuck.Command(test.namespace, test.args...); got != test.want {
				t.Errorf("Command(%q, %q) = %q, want %q", test.namespace, test.args, got, test.want)
			}
		})
	}
}
