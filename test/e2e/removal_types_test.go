package e2e

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// typeAge is how old a custom type has to be for a report that no controller watches it: until then the garbage collector may
// not have found it, and the one watch that is open may be a controller's.
const typeAge = 95 * time.Second

// pooledTypes are made with the shared control plane, so that they are old enough by the time that they are needed.
const pooledTypes = 100

var takenTypes atomic.Int32

// removalGroups is the end of the API groups of all types that scenes take.
const removalGroups = ".removal.example.com"

// removalGroup is the API group of the pooled type of a number.
func removalGroup(number int32) string { return fmt.Sprintf("scene%02d%s", number, removalGroups) }

// crateDefinition defines crates.GROUP, a type that nobody works on.
func crateDefinition(group string) string {
	return fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"crates.%[1]s"},"spec":{`+
		`"group":"%[1]s","scope":"Namespaced","names":{"plural":"crates","singular":"crate","kind":"Crate"},"versions":[{"name":"v1","served":true,"storage":true,`+
		`"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`, group)
}

// createPooledTypes makes the types that scenes take.
func createPooledTypes(ctx context.Context, p *plane.Plane) error {
	var definitions []string
	for number := range int32(pooledTypes) {
		definitions = append(definitions, crateDefinition(removalGroup(number)))
	}
	command := exec.CommandContext(ctx, filepath.Join(p.Bin(), "kubectl"), "create", "-f", "-")
	command.Env, command.Stdin = p.Env(plane.Admin), strings.NewReader(strings.Join(definitions, "\n---\n"))
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("making the types of scenes: %w: %s", err, output)
	}
	return nil
}

// takeType is the group of a type that no other test uses, once it is old enough.
func takeType(t *testing.T, p *plane.Plane, name string) string {
	t.Helper()
	group := name + removalGroups
	if number := takenTypes.Add(1) - 1; p == shared.plane && number < pooledTypes {
		group = removalGroup(number)
	} else {
		runSetup(t, p, "cat <<END | kubectl create -f -\n"+crateDefinition(group)+"\nEND")
	}
	runSetup(t, p, "kubectl wait crd/crates."+group+" --for=condition=Established --timeout=5m")
	waitForTypeAge(t, p, "crates."+group)
	return group
}

// waitForTypeAge waits until a custom type is as old as typeAge.
func waitForTypeAge(t *testing.T, p *plane.Plane, definition string) {
	t.Helper()
	for {
		made, errOut, code := kubectl(t, p, plane.Admin, "get", "crd", definition, "-o", "jsonpath={.metadata.creationTimestamp}")
		at, err := time.Parse(time.RFC3339, made)
		if code != 0 || err != nil {
			t.Fatalf("reading the age of %s: %v %s", definition, err, errOut)
		}
		wait := time.Until(at.Add(typeAge))
		if wait <= 0 {
			return
		}
		select {
		case <-time.After(wait):
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		}
	}
}
