package cmd_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// readPlugin reads a file of plugins/, in which there are no other fields.
func readPlugin[T any](t *testing.T, name string) T {
	t.Helper()
	var out T
	text, err := os.ReadFile(filepath.Join("../../plugins", name))
	if err := errors.Join(err, yaml.UnmarshalStrict(text, &out)); err != nil {
		t.Fatal(err)
	}
	return out
}

type k9sPlugins struct {
	Plugins map[string]struct {
		ShortCut, Description, Command string
		Confirm, Dangerous, Background bool
		Scopes, Args                   []string
	}
}

// k9sVariable is what k9s fills in, in upper or lower case (github.com/derailed/k9s, internal/view/env.go).
var k9sVariable = regexp.MustCompile(`\$[\w-]+`)

// k9s runs the plugin with the right context on any object, and the plugin understands how k9s names it.
func TestK9sPlugin(t *testing.T) {
	dir := t.TempDir()
	const printArgs = "#!/bin/sh\nfor arg; do echo \"$arg\"; done\necho \"KUBECONFIG=$KUBECONFIG\"\n"
	for name, script := range map[string]string{"kubectl": printArgs, "less": "#!/bin/sh\nexec cat\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("KUBECONFIG", "default")
	for name, plugin := range readPlugin[k9sPlugins](t, "k9s/plugins.yaml").Plugins {
		run := func(context, namespace, resource, group, object, kubeconfig string) []string {
			known := map[string]string{
				"$CONTEXT": context, "$NAMESPACE": namespace, "$RESOURCE_NAME": resource, "$RESOURCE_GROUP": group, "$NAME": object, "$KUBECONFIG": kubeconfig,
			}
			var args []string
			for _, arg := range plugin.Args {
				args = append(args, k9sVariable.ReplaceAllStringFunc(arg, func(variable string) string {
					if value, ok := known[strings.ToUpper(variable)]; ok {
						return value
					}
					return variable
				}))
			}
			command := exec.CommandContext(t.Context(), plugin.Command, args...)
			command.Stdin = strings.NewReader("\n")
			out, err := command.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v: %s", name, err, out)
			}
			return strings.Split(string(out), "\n")
		}
		action := strings.TrimPrefix(name, "finalizers-")
		for _, test := range []struct{ got, want []string }{
			{run(`$(id)"y z`, "shop", "pods", "", "w$(id)", ""), []string{"finalizers", action, "pods./w$(id)", "--context", `$(id)"y z`, "--namespace", "shop", "KUBECONFIG=default"}},
			{run("c", "-", "widgets", "example.com", "w1", "/k"), []string{"finalizers", action, "widgets.example.com/w1", "--context", "c", "KUBECONFIG=/k"}},
		} {
			got := slices.DeleteFunc(test.got, func(line string) bool { return line == "--color" || line == "always" })
			if len(got) < len(test.want) || !slices.Equal(got[:len(test.want)], test.want) {
				t.Errorf("%s runs kubectl with %q, not %q", name, got, test.want)
			}
		}
		if plugin.Dangerous != (action == "force-remove") {
			t.Errorf("%s: dangerous is %t", name, plugin.Dangerous)
		}
	}
	if code, out, errOut := runOnStory(t, "node-does-not-answer", nil, "explain", "pods./sensor-0", "-n", "sensors"); code != 0 || !strings.HasPrefix(out, "pod/sensor-0 ") {
		t.Errorf("it ended with %d: %s%s", code, out, errOut)
	}
}

type holmesToolsets struct {
	Toolsets map[string]struct {
		Enabled       bool
		Description   string
		DocsURL       string `json:"docs_url"`
		Prerequisites []struct{ Command string }
		Tools         []struct{ Name, Description, Command string }
	}
}

// The tools of HolmesGPT are commands that read, with flags that exist.
func TestHolmesToolset(t *testing.T) {
	emptyHome(t)
	reads := []string{"list", "explain", "health", "catalog", "version"}
	condition, placeholder := regexp.MustCompile(`\{% \w+( \w+)? %\}`), regexp.MustCompile(`\{\{ \w+ \}\}`)
	for _, toolset := range readPlugin[holmesToolsets](t, "holmesgpt/toolset.yaml").Toolsets {
		commands := []string{toolset.Prerequisites[0].Command}
		for _, tool := range toolset.Tools {
			commands = append(commands, tool.Command)
		}
		for _, command := range commands {
			args, isPlugin := strings.CutPrefix(placeholder.ReplaceAllString(condition.ReplaceAllString(command, ""), "x"), "kubectl finalizers ")
			words := strings.Fields(args)
			if !isPlugin || !slices.Contains(reads, words[0]) {
				t.Errorf("%q does not only read", command)
			}
			if out, errOut, code := runOffline(t, append(words, "--help")...); code != 0 || !strings.Contains(out, "kubectl finalizers "+words[0]) {
				t.Errorf("%q: it ended with %d: %s", command, code, errOut)
			}
		}
	}
}
