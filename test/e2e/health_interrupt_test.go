package e2e

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// TestInterruptedHealth presses ^C while the watch, the streamed list and the informer wait for their answers: what was found until then is printed.
func TestInterruptedHealth(t *testing.T) {
	p := sharedPlane(t)
	held := startRecordingProxy(t, p, func(r *http.Request) bool { return r.URL.Query().Get("watch") == "true" })
	command, out, errOut := startHealth(t, p, "limitranges", "--check", "watch,informers", "--for", "10m", "-o", "wide", "--server", held.address)
	eventually(t, func() error {
		watches, streams := 0, 0
		for _, r := range held.requestsTo("/limitranges") {
			switch query := r.URL.Query(); {
			case query.Get("sendInitialEvents") == "true":
				streams++
			case query.Get("watch") == "true":
				watches++
			}
		}
		if watches < 1 || streams < 2 { // the streamed list of the check watch, and that of the informer
			return fmt.Errorf("there are %d watches and %d streamed lists yet", watches, streams)
		}
		return nil
	})
	code := interrupt(t, command)
	wantOutput(t, code, 1, out.String()+errOut.String(), "Interrupted; ", "1 of 1 type can be listed", "interrupted; 0 of 1 watch open until then", "interrupted; 0 of 1 informer synced",
		"checks watch, informers", "error: interrupted")
	if text := out.String(); strings.Contains(text, "PROBLEM") || strings.Contains(text, "canceled") {
		t.Errorf("the interrupt is called a problem:\n%s", text)
	}
}

// TestHealthWatch repeats the checks until ^C, and ends with a summary.
func TestHealthWatch(t *testing.T) {
	p := sharedPlane(t)
	command, out, errOut := startHealth(t, p, "limitranges", "--check", "list", "-w")
	waitForOutput(t, out, `1 of 1 type can be listed`)
	if code := interrupt(t, command); code != 0 {
		t.Errorf("it ended with %d: %s", code, errOut)
	}
	wantOutput(t, 0, 0, out.String(), ": 1 run of the checks, 0 findings, of which 0 ended.")
	wantRefused(t, p.Env(plane.Admin), badInput{"health -w -o json", []string{"--watch prints text"}})
	wantRefused(t, p.Env(plane.Admin), badInput{"health -w --exit-code", []string{"--watch cannot be used with --exit-code"}})
}

func startHealth(t *testing.T, p *plane.Plane, args ...string) (command *exec.Cmd, out, errOut *outputBuffer) {
	t.Helper()
	command = exec.CommandContext(t.Context(), plugin, append([]string{"health"}, args...)...)
	command.Env = p.Env(plane.Admin)
	out, errOut = &outputBuffer{}, &outputBuffer{}
	command.Stdout, command.Stderr = out, errOut
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	return command, out, errOut
}

// interrupt presses ^C, and returns the exit code.
func interrupt(t *testing.T, command *exec.Cmd) int {
	t.Helper()
	pressed := time.Now()
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait() // the code is returned
	if took := time.Since(pressed); took > interruptTimeout {
		t.Errorf("it took %s to end", took)
	}
	return command.ProcessState.ExitCode()
}
