package finalizers_test

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// beyondClientGo are the modules that the package needs and client-go does not. Of these, controller-runtime
// needs all but the first, which needs nothing itself.
var beyondClientGo = []string{
	"github.com/mitchellh/go-wordwrap",
	"github.com/prometheus/client_model",
	"github.com/prometheus/common",
	"golang.org/x/sync",
}

// A program that imports the package has client-go already, and needs no command line with it.
func TestImportsNoMoreThanClientGo(t *testing.T) {
	var clientGo struct{ Require []struct{ Path string } }
	if err := json.Unmarshal([]byte(run(t, "mod", "edit", "-json", strings.TrimSpace(run(t, "list", "-m", "-f", "{{.GoMod}}", "k8s.io/client-go")))), &clientGo); err != nil {
		t.Fatal(err)
	}
	known := append([]string{"k8s.io/client-go", "github.com/kubectl-finalizers/kubectl-finalizers"}, beyondClientGo...)
	for _, required := range clientGo.Require {
		known = append(known, required.Path)
	}
	modules := strings.Fields(run(t, "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "."))
	if len(modules) == 0 {
		t.Error("no modules are listed")
	}
	slices.Sort(modules)
	for _, module := range slices.Compact(modules) {
		if !slices.Contains(known, module) {
			t.Errorf("the package imports %s, which client-go does not", module)
		}
	}
	for _, module := range beyondClientGo {
		if !slices.Contains(modules, module) {
			t.Errorf("the package does not import %s anymore: strike it from the list", module)
		}
	}
}

func run(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", args...).Output()
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}
