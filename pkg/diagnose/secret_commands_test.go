package diagnose_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// TestNoCommandPrintsSecretData holds that no command of the catalog, of a finding or of a
// screen prints the data of Secrets: what a terminal shows ends in logs of pipelines and in tickets.
func TestNoCommandPrintsSecretData(t *testing.T) {
	known, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	check := func(from, command string) {
		for _, line := range strings.Split(command, "\n") {
			if strings.Contains(line, "secret") {
				read++
			}
			if printsSecretData(line) {
				t.Errorf("%s prints the data of Secrets: %s", from, line)
			}
		}
	}
	for _, e := range known.Entries() {
		// Its type stands in commands that serve several; any type is meant where none is named.
		name := "{type}"
		if len(e.Types) == 0 || slices.ContainsFunc(e.Types, func(t catalog.Type) bool { return t == "Secret" || t == "*" }) {
			name = "secrets"
		}
		for _, s := range e.Resolution {
			check(e.Finalizer, strings.ReplaceAll(s.Command, "{type}", name))
		}
		for _, n := range e.Needs {
			for _, s := range n.Steps {
				check(e.Finalizer, strings.ReplaceAll(s.Command, "{type}", name))
			}
		}
	}
	screens, err := filepath.Glob("../../testdata/scenarios/*/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range screens {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		check(path, string(content))
	}
	secret := stuck.Type{Version: "v1", Resource: "secrets", Kind: "Secret", Namespaced: true}
	check("a read of an object", stuck.ReadCommand(secret, "shop", "secrets", "key"))
	if read < 100 {
		t.Errorf("only %d commands name Secrets", read)
	}
}

// getCommand is a kubectl get as far as the next command, and outputFlag how it prints.
var (
	getCommand = regexp.MustCompile(`kubectl [^|;&\n]*?\bget ([^|;&\n]*)`)
	outputFlag = regexp.MustCompile(`(?:-o|--output)[ =]?('[^']*'|"[^"]*"|\S+)`)
	dataPath   = regexp.MustCompile(`\.data|\.stringData|\.metadata\}|\.metadata\.annotations\}|\{@?\.?\}`)
)

// printsSecretData reports whether a command line prints what Secrets hold, or their
// annotations, in one of which kubectl apply repeats it.
func printsSecretData(line string) bool {
	for _, m := range getCommand.FindAllStringSubmatch(line, -1) {
		output := outputFlag.FindStringSubmatch(m[1])
		if output == nil || strings.Contains(m[1], " > ") || !namesSecrets(m[1]) {
			continue
		}
		switch format := strings.Trim(output[1], `'"`); {
		case format == "json", format == "yaml", format == "kyaml", strings.HasPrefix(format, "go-template"), dataPath.MatchString(m[1]):
			return true
		}
	}
	return false
}

// namesSecrets reports whether the words of a kubectl get name the type of Secrets.
func namesSecrets(words string) bool {
	for _, word := range strings.Fields(words) {
		for _, resource := range strings.Split(word, ",") {
			if resource, _, _ = strings.Cut(resource, "/"); resource == "secret" || resource == "secrets" {
				return true
			}
		}
	}
	return false
}

func TestPrintsSecretData(t *testing.T) {
	for line, want := range map[string]bool{
		"kubectl -n a get secrets b -o yaml --show-managed-fields":               true,
		"kubectl -n a get configmaps,secrets -ojson":                             true,
		"kubectl get secret/b -o jsonpath='{.metadata}'":                         true,
		"kubectl get secret b -o jsonpath={.data.key} | base64 -d":               true,
		"kubectl get secret b -o jsonpath='{.metadata.annotations.a\\.b/c}'":     false,
		"kubectl get secrets b -o yaml > b.yaml":                                 false,
		"kubectl get secrets -A; kubectl get pods -o yaml":                       false,
		"kubectl get externalsecrets.external-secrets.io b -o yaml":              false,
		"kubectl -n a get secrets b -o custom-columns='NAME:.metadata.name'":     false,
		"kubectl -n a get secrets b -o custom-columns='VALUE:.data.password'":    true,
		"kubectl -n a get secret b -o go-template='{{range .data}}{{.}}{{end}}'": true,
	} {
		if got := printsSecretData(line); got != want {
			t.Errorf("%s: got %v", line, got)
		}
	}
}
