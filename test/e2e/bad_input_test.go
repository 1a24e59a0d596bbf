package e2e

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// badInput is a command line that must end in one line that tells what was wrong and what to do.
type badInput struct {
	args string // separated by blanks
	want []string
}

var badConnections = map[string]badInput{
	"a kubeconfig that does not exist":  {"list -A --kubeconfig no-such-file", []string{"reading the kubeconfig", "no-such-file", "check --kubeconfig"}},
	"a context that does not exist":     {"list -A --context nope", []string{`context "nope" does not exist`, "check --kubeconfig, --context"}},
	"the same for explain":              {"explain ns/default --context nope", []string{`context "nope" does not exist`, "check --kubeconfig, --context"}},
	"a user that does not exist":        {"list -A --user nope", []string{`"nope" does not exist`, "--user"}},
	"a server that is unreachable":      {"list -A --server https://127.0.0.1:1", []string{"cannot reach the API server at https://127.0.0.1:1", "connection refused", "check --context, --server"}},
	"the same for explaining":           {"explain ns/default --server https://127.0.0.1:1", []string{"cannot reach the API server at https://127.0.0.1:1"}},
	"a server that is no address":       {"list -A --server ht!tp://x", []string{`must be a URL or a host:port pair: "ht!tp://x"`}},
	"a token that is not known":         {"list -A --token nonsense", []string{"does not accept these credentials", "log in again"}},
	"a token not known to explain with": {"explain ns/default --token nonsense", []string{"does not accept these credentials"}},
	"a timeout that is no time":         {"list -A --request-timeout nope", []string{"invalid timeout value", "1s | 2m | 3h"}},
}

var badArguments = map[string]badInput{
	"a type that is not served":         {"list widgetz", []string{`have a resource type "widgetz"`, "kubectl api-resources"}},
	"the same to explain":               {"explain widgetz/x", []string{`have a resource type "widgetz"`, "kubectl api-resources"}},
	"an object that does not exist":     {"explain cm/none -n default", []string{`configmaps "none" not found in namespace "default"`, "gone already"}},
	"the same to list":                  {"list cm/none -n default", []string{`configmaps "none" not found in namespace "default"`, "gone already"}},
	"a namespace that does not exist":   {"explain ns/none", []string{`namespaces "none" not found`, "gone already"}},
	"a namespace not there to look in":  {"explain cm/x -n none", []string{`not found in namespace "none"`, "-n"}},
	"a namespace not there to list":     {"list -n none", []string{`namespace "none" not found`, "check -n and --context"}},
	"the same to list a type of":        {"list pods -n none --exit-code -o json", []string{`namespace "none" not found`}},
	"the same to examine":               {"health -n none", []string{`namespace "none" not found`}},
	"what no namespace is called":       {"list -n A_B", []string{`"A_B" cannot be the name of a namespace`}},
	"a path for a name":                 {"explain cm/.. -n default", []string{`".." is not a name`}},
	"a path for a namespace":            {"explain cm/x -n ../default", []string{`"../default" cannot be the name of a namespace`}},
	"no check":                          {"health --check=", []string{"--check names no check"}},
	"an unknown check":                  {"health --check lists", []string{`--check: unknown check "lists"; choose from apiservices`}},
	"an empty finalizer":                {"list -A --finalizer=", []string{"reading --finalizer: it is empty"}},
	"a part of a finalizer":             {"list -A --finalizer pvc-protection", []string{`matches "pvc-protection"`, "did you mean kubernetes.io/pvc-protection"}},
	"two slashes":                       {"explain a/b/c", []string{`"a/b/c" is not of the form TYPE/NAME`}},
	"two slashes to list":               {"list a/b/c", []string{`"a/b/c" is not of the form TYPE/NAME`}},
	"no type":                           {"explain /x", []string{`"/x" is not of the form TYPE/NAME`}},
	"no name":                           {"explain ns/", []string{`"ns/" is not of the form TYPE/NAME`}},
	"nothing to explain":                {"explain", []string{"explain takes objects: TYPE/NAME, such as ns/shop"}},
	"a name and a selector to explain":  {"explain ns/default -l a=b", []string{`"default" names an object, and -l selects by labels`}},
	"a type after an object":            {"list pod/x pods", []string{`"pods" is not of the form TYPE/NAME`}},
	"an object after a type":            {"list pods x/y", []string{`"x/y" is not a name`}},
	"an unknown command":                {"nope", []string{`unknown command "nope"`, "kubectl finalizers --help"}},
	"an argument for version":           {"version x", []string{`unknown command "x"`}},
	"an unknown flag":                   {"list --nope", []string{"unknown flag: --nope", "kubectl finalizers list --help"}},
	"an unknown letter":                 {"explain ns/x -Z", []string{"unknown shorthand flag: 'Z'", "kubectl finalizers explain --help"}},
	"a flag without its value":          {"list -n", []string{"flag needs an argument", "--help"}},
	"a selector":                        {"list -A -l =a", []string{"reading --selector"}},
	"a glob":                            {"list -A --finalizer [", []string{`reading --finalizer: "[" is not a glob`}},
	"a duration without its unit":       {"list -A --older-than 5", []string{"--older-than", "not a duration such as 10m"}},
	"a duration that is none":           {"list -A --older-than yesterday", []string{"--older-than", "not a duration such as 10m"}},
	"a negative duration":               {"list -A --older-than=-5m", []string{"--older-than", "must not be negative"}},
	"a format for list":                 {"list -A -o nope", []string{`unknown output format "nope"`, "json", "custom-columns"}},
	"a format for explain":              {"explain ns/default -o nope", []string{`unknown output format "nope"`, "json", "mermaid"}},
	"a list's format for explain":       {"explain ns/default -o wide", []string{`unknown output format "wide"`, "json, yaml, kyaml, dot, mermaid"}},
	"a jsonpath":                        {"list -A -o jsonpath={.items[}", []string{"parsing jsonpath {.items[}", "unterminated array"}},
	"a jsonpath that is missing":        {"list -A -o jsonpath", []string{"no template given"}},
	"a template":                        {"list -A -o go-template={{.items", []string{"parsing template {{.items", "unclosed action"}},
	"a template that fails half way":    {"list configmaps -A -o go-template=x{{index}}", []string{"printing with -o go-template=x{{index}}", "wrong number of args for index"}},
	"columns that are missing":          {"list -A -o custom-columns", []string{"no custom columns given"}},
	"a column without a path":           {"list -A -o custom-columns=A", []string{"expected <header>:<json-path-expr>"}},
	"a column whose path is broken":     {"list -A -o custom-columns=A:.x[", []string{"custom-columns=A:.x[", "unterminated array"}},
	"a file of columns that is missing": {"list -A -o custom-columns-file=no-such-file", []string{"no-such-file", "no such file"}},
}

func TestBadInput(t *testing.T) {
	p := sharedPlane(t)
	for _, inputs := range []map[string]badInput{badConnections, badArguments} {
		for name, input := range inputs {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				wantRefused(t, p.Env(plane.Admin), input)
			})
		}
	}
}

func TestBadKubeconfig(t *testing.T) {
	p, dir := sharedPlane(t), t.TempDir()
	broken := filepath.Join(dir, "broken")
	if err := os.WriteFile(broken, []byte("{{: not yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	aimless := filepath.Join(dir, "aimless")
	if err := os.WriteFile(aimless, []byte("contexts:\n- {name: a, context: {cluster: b}}\nclusters:\n- {name: b, cluster: {server: 'https://127.0.0.1:1'}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	nothing := []string{"no cluster to talk to: there is no kubeconfig", "set KUBECONFIG or pass --kubeconfig"}
	for name, test := range map[string]struct {
		kubeconfig string
		want       []string
	}{
		"none":                        {"", nothing},
		"one that is not":             {filepath.Join(dir, "none"), nothing},
		"one with no current context": {aimless, []string{"the kubeconfig has no current context", "pass --context"}},
		"one that is broken":          {broken, []string{"reading the kubeconfig", broken, "check --kubeconfig"}},
	} {
		for _, args := range []string{"list", "list -A", "explain ns/default"} {
			t.Run(name+" "+args, func(t *testing.T) {
				wantRefused(t, append(p.Env(plane.Admin), "HOME="+dir, "KUBECONFIG="+test.kubeconfig), badInput{args, test.want})
			})
		}
	}
}

// TestNotKubernetes asks servers that are none: an answer that names no types must not look like an empty cluster.
func TestNotKubernetes(t *testing.T) {
	p := sharedPlane(t)
	for name, answer := range map[string]http.HandlerFunc{
		"nothing is found": http.NotFound,
		"a page":           func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<h1>Welcome</h1>")) },
		"some JSON":        func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}")) },
		"another JSON":     func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("[]")) },
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(answer)
			t.Cleanup(server.Close)
			for _, args := range []string{"list -A", "list", "explain ns/default"} {
				wantRefused(t, p.Env(plane.Admin), badInput{
					args + " --server " + server.URL,
					[]string{"the server at " + server.URL + " is not a Kubernetes API server", "check --context and --server"},
				})
			}
		})
	}
}

// wantRefused runs the plugin and expects one line of error, and nothing else.
func wantRefused(t *testing.T, environment []string, input badInput) {
	t.Helper()
	out, errOut, code := finalizers(t, environment, strings.Fields(input.args)...)
	t.Logf("$ kubectl finalizers %s\n%s", input.args, errOut)
	if code != 1 || out != "" {
		t.Errorf("it ended with %d and printed %q", code, out)
	}
	line, isError := strings.CutPrefix(errOut, "error: ")
	if !isError || strings.Count(errOut, "\n") != 1 || !strings.HasSuffix(errOut, "\n") || unicode.IsUpper([]rune(line + " ")[0]) {
		t.Errorf("that is not one lowercase line of error: %q", errOut)
	}
	for _, want := range input.want {
		if !strings.Contains(line, want) {
			t.Errorf("it does not say %q: %s", want, errOut)
		}
	}
}
