package e2e

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// hostileScene is what a tenant can make whose namespace it is: the names of Roles and of owners may hold anything that
// a shell would carry out.
const hostileScene = `
kubectl create namespace hostile
kubectl -n hostile create rolebinding tenant --clusterrole=admin --user=hostile-tenant
kubectl wait -n hostile serviceaccount/default --for=create --timeout=5m
until kubectl --as hostile-tenant auth can-i create roles -n hostile; do sleep 0.1; done
cat <<'END' | kubectl --as hostile-tenant -n hostile create -f -
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, storageClassName: ""}
---
apiVersion: v1
kind: Pod
metadata:
  name: web-0
  ownerReferences: [{apiVersion: appsx/v1, kind: StatefulSet, name: "web; touch PWNED #", uid: 11111111-1111-1111-1111-111111111111, controller: true}]
spec:
  nodeName: node-1
  containers: [{name: c, image: registry.example.com/x}]
  volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: "$(touch PWNED)", finalizers: [hostile.example.com/hold]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: "--all", finalizers: [hostile.example.com/hold]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: "it's;touch PWNED", finalizers: [kro.run/finalizer]}
END
kubectl --as hostile-tenant -n hostile delete pvc/data 'role/$(touch PWNED)' role/--all "role/it's;touch PWNED" --wait=false
`

// recordingKubectl is a kubectl that writes down its arguments, a line for each call, and does nothing else.
const recordingKubectl = `#!/bin/sh
{ for argument in "$@"; do printf '%s\037' "$argument"; done; echo; } >> "$RECORD"
`

// TestHostileNamesInCommands pastes each command that is printed into a shell: no name is carried out or taken for a
// flag, and each arrives as one argument.
func TestHostileNamesInCommands(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, hostileScene)
	for object, name := range map[string]string{
		"pvc/data": "web; touch PWNED #", "role/$(touch PWNED)": "$(touch PWNED)", "role/--all": "--all", "role/it's;touch PWNED": "it's;touch PWNED",
	} {
		t.Run(object, func(t *testing.T) {
			for _, args := range [][]string{
				{"explain", object},
				{"explain", object, "-o", "json"},
				{"force-remove", object, "--dry-run=client"},
				{"force-remove", object, "--dry-run=client", "-o", "json"},
			} {
				out, errOut, _ := kubectl(t, p, plane.Admin, slices.Concat([]string{"finalizers"}, args, []string{"-n", "hostile"})...)
				commands, arrived := printedCommands(out), false
				for _, command := range commands {
					arrived = pasteCommand(t, command, name) || arrived
				}
				// A document of explain has commands for what is found, and nothing is found of the Roles.
				if !arrived && (len(commands) > 0 || !strings.Contains(out, `"causes": []`)) {
					t.Errorf("of %q no command names %q: %q\n%s%s", args, name, commands, out, errOut)
				}
			}
		})
	}
}

// pasteCommand has a shell carry out a command whose kubectl only records its arguments, and reports whether one of
// these is the name, or ends in it behind a type.
func pasteCommand(t *testing.T, command, name string) bool {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "sh", "-n", "-c", command).CombinedOutput(); err != nil {
		t.Errorf("no shell takes %s: %v: %s", command, err, out)
		return false
	}
	bin, dir := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "kubectl"), []byte(recordingKubectl), 0o755); err != nil {
		t.Fatal(err)
	}
	record := filepath.Join(bin, "record")
	shell := exec.CommandContext(t.Context(), "sh", "-c", command)
	shell.Dir, shell.Env = dir, []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "RECORD=" + record}
	if out, err := shell.CombinedOutput(); err != nil {
		t.Errorf("%s fails: %v: %s", command, err, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "PWNED")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s carries out a name", command)
	}
	calls, err := os.ReadFile(record)
	if err != nil {
		t.Errorf("%s calls no kubectl: %v", command, err)
		return false
	}
	for call := range strings.Lines(string(calls)) {
		args := strings.Split(strings.TrimSuffix(call, "\037\n"), "\037")
		if i := slices.Index(args, name); i >= 0 && strings.HasPrefix(name, "-") && !slices.Contains(args[:i], "--") {
			t.Errorf("%s makes a flag of a name", command)
		}
		if slices.ContainsFunc(args, func(arg string) bool { return arg == name || strings.HasSuffix(arg, "/"+name) }) {
			return true
		}
	}
	return false
}

// printedCommands are the commands in what the plugin printed: those of a document, or those of a screen.
func printedCommands(out string) []string {
	var document any
	if err := json.Unmarshal([]byte(out), &document); err == nil {
		return documentCommands(document)
	}
	var commands []string
	for line := range strings.Lines(out) {
		if command, ok := commandIn(strings.TrimSpace(line)); ok {
			commands = append(commands, command)
		}
	}
	return commands
}

// documentCommands are the commands in a document: what is to be done about a finding or a finalizer, and about a refusal.
func documentCommands(value any) []string {
	var commands []string
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			commands = append(commands, documentCommands(item)...)
		}
	case map[string]any:
		for key, item := range value {
			text, _ := item.(string)
			if command, ok := commandIn(text); ok && (key == "command" || key == "way") {
				commands = append(commands, command)
			}
			commands = append(commands, documentCommands(item)...)
		}
	}
	return commands
}

// commandIn is the command that a text is, or that stands in a refusal between what it is for and what gets past it.
func commandIn(text string) (string, bool) {
	if strings.HasPrefix(text, "kubectl ") {
		return text, true
	}
	_, command, ok := strings.Cut(text, ": kubectl ")
	for _, override := range []string{"; to ", "; if "} {
		command, _, _ = strings.Cut(command, override)
	}
	return "kubectl " + command, ok
}
