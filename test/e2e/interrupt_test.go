package e2e

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// interruptTimeout is what the plugin has to end in when it is told to. It takes milliseconds, of which a busy machine can make
// seconds; what it waits for instead would not come at all.
const interruptTimeout = 10 * time.Second

// TestInterrupt presses ^C while the API server keeps the plugin waiting.
func TestInterrupt(t *testing.T) {
	p := sharedPlane(t)
	for name, test := range map[string]struct{ args, held string }{
		"discovering":   {"list -A", "/api"},
		"listing":       {"list -A", "/configmaps"},
		"listing there": {"list", "/configmaps"},
		"listing one":   {"list cm", "/configmaps"},
		"explaining":    {"explain ns/default", "/namespaces/default"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			waits := startRecordingProxy(t, p, func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, test.held) })
			wantInterrupted(t, p, waits, test.held, append(strings.Fields(test.args), "--server", waits.address))
		})
	}
}

// wantInterrupted runs the plugin until it waits for an answer, interrupts it, and expects it to end in good order.
func wantInterrupted(t *testing.T, p *plane.Plane, waits *recordingProxy, held string, args []string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), plugin, args...)
	command.Env = p.Env(plane.Admin)
	var out, errOut bytes.Buffer
	command.Stdout, command.Stderr = &out, &errOut
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		if len(waits.requestsTo(held)) == 0 {
			return errors.New("it has not asked yet")
		}
		return nil
	})
	pressed := time.Now()
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait() // the code is looked at below
	if took := time.Since(pressed); took > interruptTimeout {
		t.Errorf("it took %s to end", took)
	}
	if code := command.ProcessState.ExitCode(); code != 1 || out.String() != "" || errOut.String() != "error: interrupted\n" {
		t.Errorf("it ended with %d, printed %q and said %q", code, &out, &errOut)
	}
}
