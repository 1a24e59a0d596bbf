package stuck_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
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

func TestShellf(t *testing.T) {
	tests := map[string]struct {
		template string
		args     []any
		want     string
	}{
		"plain words stay":           {"kubectl get pods -A", nil, "kubectl get pods -A"},
		"a name":                     {"kubectl delete pod %s --wait=false", []any{"web-0"}, "kubectl delete pod web-0 --wait=false"},
		"a substitution":             {"kubectl delete role %s", []any{"$(reboot)"}, "kubectl delete role '$(reboot)'"},
		"several names":              {"kubectl get pods %s", []any{[]string{"a", "b;c"}}, "kubectl get pods a 'b;c'"},
		"inside of quotes":           {`kubectl patch x -p '{"value":"%s"}'`, []any{"it's"}, `kubectl patch x -p '{"value":"it'\''s"}'`},
		"a JSON string":              {`kubectl patch x -p '{"value":%q}'`, []any{`a"b'c`}, `kubectl patch x -p '{"value":"a\"b'\''c"}'`},
		"a part of a word":           {"kubectl get pods -l %s=%s", []any{"a", "b c"}, "kubectl get pods -l a='b c'"},
		"a number":                   {"kubectl scale x --replicas=%d", []any{1}, "kubectl scale x --replicas=1"},
		"a name like a flag":         {"kubectl delete role %s --wait=false", []any{"--all"}, "kubectl delete role --wait=false -- --all"},
		"a name like a flag, piped":  {"kubectl get role %s -o yaml | less", []any{"--all"}, "kubectl get role -o yaml -- --all | less"},
		"the value of a flag":        {"kubectl get pods -l %s", []any{"-a"}, "kubectl get pods -l -a"},
		"a file":                     {"kubectl get role %s -o yaml > %s.yaml && kubectl delete role %s", []any{"--all", "--all", "--all"}, "kubectl get role -o yaml -- --all > --all.yaml && kubectl delete role -- --all"},
		"a name in double quotes":    {`kubectl get x -l "a=%s"`, []any{"$(reboot)"}, `kubectl get x -l "a="'$(reboot)'""`},
		"a word in double quotes":    {`kubectl get x -l "a=%s"`, []any{"b"}, `kubectl get x -l "a=b"`},
		"a quote behind a backslash": {`kubectl get \'%s`, []any{"a b"}, `kubectl get \''a b'`},
		"what a search is for":       {"kubectl finalizers catalog --search %s", []any{"-a"}, "kubectl finalizers catalog --search -a"},
		"a percent sign":             {"echo 100%%", nil, "echo 100%"},
		"an argument that is absent": {"kubectl get %s", nil, "kubectl get %!s(MISSING)"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := stuck.Shellf(test.template, test.args...); got != test.want {
				t.Errorf("Shellf(%q, %q) = %q, want %q", test.template, test.args, got, test.want)
			}
		})
	}
}

func TestFillCommand(t *testing.T) {
	tests := map[string]struct{ template, name, want string }{
		"a name":                  {"kubectl -n {namespace} get {type} {name} -o yaml", "web-0", "kubectl -n shop get {type} web-0 -o yaml"},
		"a substitution":          {"kubectl get pod {name}", "$(reboot)", "kubectl get pod '$(reboot)'"},
		"a part of a word":        {"kubectl get namespace cluster-{name}", "a b", "kubectl get namespace cluster-'a b'"},
		"inside of quotes":        {`kubectl patch x -p '{"name":"{name}"}'`, "it's", `kubectl patch x -p '{"name":"it'\''s"}'`},
		"a name like a flag":      {"kubectl get pod {name} -o yaml | less", "--all", "kubectl get pod -o yaml -- --all | less"},
		"a template of kubectl's": {"kubectl get pod {name} -o jsonpath='{.metadata.name}  {.status}'", "a", "kubectl get pod a -o jsonpath='{.metadata.name}  {.status}'"},
		"a name of two braces":    {"kubectl get pod {name}", "{namespace}", "kubectl get pod '{namespace}'"},
		"a verb of package fmt":   {"kubectl get %s {name}", "a", "kubectl get %s a"},
		"in a substitution":       {`kubectl get "$(kubectl get {name})"`, "a", `kubectl get "$(kubectl get {name})"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			values := map[string]string{"namespace": "shop", "name": test.name, "type": ""}
			if got := stuck.FillCommand(test.template, values); got != test.want {
				t.Errorf("FillCommand(%q) = %q, want %q", test.template, got, test.want)
			}
		})
	}
}

// TestShellRunsNoName pastes commands with hostile names into a real shell, with
// a kubectl that writes down its arguments: each name arrives as one argument,
// and nothing of it is carried out.
func TestShellRunsNoName(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\nfor a in \"$@\"; do printf '%s\\037' \"$a\"; done > " + filepath.Join(dir, "args") + "\n"
	if err := os.WriteFile(filepath.Join(dir, "kubectl"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"web; touch PWNED #", "$(touch PWNED)", "`touch PWNED`", "x;id", "--all", "-rf", "it's", `a"b`, "a\nb", "a\tb", "x$(touch ${HOME}PWNED)'\"`id`; touch pwned #", "a|b>c&d", "*", "~", "a\\b", "{a,b}", "!x", "é\u2028",
	} {
		templates := map[string]string{
			"kubectl -n %s delete role %s --wait=false": name,
			"kubectl -n %s get role/%s -o yaml":         "role/" + name,
			"kubectl -n %s patch x -p '{\"v\":\"%s\"}'": `{"v":"` + name + `"}`,
			"kubectl -n %s get x --v=\"v %s\"":          "--v=v " + name,
		}
		for template, want := range templates {
			command := exec.CommandContext(t.Context(), "sh", "-c", stuck.Shellf(template, "shop", name))
			command.Dir, command.Env = dir, []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
			if out, err := command.CombinedOutput(); err != nil {
				t.Errorf("%q: %v: %s", name, err, out)
				continue
			}
			written, err := os.ReadFile(filepath.Join(dir, "args"))
			if err != nil {
				t.Fatal(err)
			}
			if args := strings.Split(string(written), "\037"); !slices.Contains(args, want) {
				t.Errorf("%q arrived as %q", name, args)
			}
			if _, err := os.Stat(filepath.Join(dir, "PWNED")); err == nil {
				t.Fatalf("%q was carried out", name)
			}
		}
	}
}
