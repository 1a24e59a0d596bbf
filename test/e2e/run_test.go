package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// finalizers runs the plugin as kubectl would, in an environment of the test's own.
func finalizers(t *testing.T, environment []string, args ...string) (out, errOut string, code int) {
	t.Helper()
	return execute(t, plugin, environment, args...)
}

// execute runs a program to its end.
func execute(t *testing.T, program string, environment []string, args ...string) (out, errOut string, code int) {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, args...)
	command.Env = environment
	var o, e bytes.Buffer
	command.Stdout, command.Stderr = &o, &e
	if err := command.Run(); command.ProcessState == nil {
		t.Fatal(err)
	}
	return o.String(), e.String(), command.ProcessState.ExitCode()
}

// runSetup does lines for a shell, as the plane's admin, to make the scene of a test.
func runSetup(t *testing.T, p *plane.Plane, script string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "sh", "-ec", script)
	command.Env = p.Env(plane.Admin)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("setting the scene: %v\n%s", err, output)
	}
}

// readDocument runs a command with -o json and reads what it prints.
func readDocument[T any](t *testing.T, p *plane.Plane, user string, args ...string) T {
	t.Helper()
	read, err := tryDocument[T](t, p, user, args...)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// tryDocument is document for who asks again if it fails.
func tryDocument[T any](t *testing.T, p *plane.Plane, user string, args ...string) (T, error) {
	t.Helper()
	out, errOut, _ := kubectl(t, p, user, append(append([]string{"finalizers"}, args...), "-o", "json")...)
	var read T
	if err := json.Unmarshal([]byte(out), &read); err != nil {
		return read, fmt.Errorf("%s prints no JSON: %w\n%s%s", strings.Join(args, " "), err, out, errOut)
	}
	return read, nil
}

// eventually asks until there is no error, for as long as a busy machine may take. See [pause] for how often.
func eventually(t *testing.T, ask func() error) {
	t.Helper()
	for began := time.Now(); ; <-time.After(pause(began, 250*time.Millisecond)) {
		err := ask()
		if err == nil {
			return
		}
		if time.Since(began) > 3*time.Minute {
			t.Fatal(fmt.Errorf("waited long enough: %w", err))
		}
	}
}

// pause is how long to wait before the next look: the longer it has taken, the longer. To look costs a busy machine more than
// what is left to do, and most of what takes long is the age of a type.
func pause(began time.Time, atLeast time.Duration) time.Duration {
	return atLeast + time.Since(began)/8
}
