package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/pem"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/find"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/faults"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/memory"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/story"
)

var (
	faultRounds = flag.Uint64("faults", 42, "how many schedules of faults are played")
	faultSeed   = flag.Uint64("fault-seed", 1, "the seed of the first of them")
)

// faultStories make a cluster with a verdict of each kind, and causes that rest on Leases, dry runs, metrics and lists.
var faultStories = []string{
	"carts-hold-a-namespace", "claim-is-in-use", "operator-crashes", "operator-is-scaled-to-zero", "webhook-is-gone", "node-does-not-answer",
	"crossplane-config-is-missing", "load-balancer-is-still-used",
}

const (
	// faultTimeLimit is when a command has to be at its end, whatever the server does: the time that it has for its reads, and
	// what a busy machine needs on top. A snapshot goes through up to 50 objects then, and took 70 seconds more beside a whole suite.
	faultTimeLimit = find.ReadBudget + 2*time.Minute
	// faultMemoryLimit is the peak memory of a command. Answers without an end fill most of it: all that is read at once may be
	// 128 MiB, which the process holds up to three times while it grows.
	faultMemoryLimit = 512 << 20
)

// TestFaults holds of a broken server, by many schedules of faults: each command ends in time and within its memory, says nothing
// that is not so without the fault, gives no all-clear, leaves nothing out in silence, and writes nothing that it was not asked for.
func TestFaults(t *testing.T) {
	t.Parallel()
	s := newFaultScene(t)
	t.Run("schedules", func(t *testing.T) {
		for i := range *faultRounds {
			schedule := faults.Random(*faultSeed+i, uint64(len(faultyCommands)))
			command := faultyCommands[schedule.Command]
			t.Run(command.name+","+schedule.String(), func(t *testing.T) {
				t.Parallel()
				s.play(t, command, schedule)
			})
		}
	})
}

// faultScene is a cluster in which much is stuck, and what is true of it.
type faultScene struct {
	p *plane.Plane
	// truth is what list says without a fault, by object.
	truth map[string]faultyDiagnosis
	// problems are the objects that health reports without a fault.
	problems map[healthSubject]bool
}

// faultNamespace holds what the commands that write are about, and what preflight is asked about.
const faultNamespace = "faults"

func newFaultScene(t *testing.T) *faultScene {
	t.Helper()
	s := &faultScene{p: ownPlane(t)}
	var stories errgroup.Group
	for _, name := range faultStories {
		played, err := story.Load(filepath.Join(scenarios, name))
		if err != nil {
			t.Fatal(err)
		}
		stories.Go(func() error { return played.Play(t.Context(), s.p) })
	}
	if err := stories.Wait(); err != nil {
		t.Fatal(err)
	}
	runSetup(t, s.p, `
kubectl create namespace `+faultNamespace+`
printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"kept","namespace":"`+faultNamespace+`","finalizers":["faults.example.com/hold"]}}' | kubectl create -f -
`)
	eventually(t, func() error {
		s.truth = diagnosesOf(t, s.p)
		if v := s.truth["Widget shop/w1"].Diagnosis.Verdict; v != stuck.ControllerGone {
			return fmt.Errorf("the widget's verdict is %q", v)
		}
		if bucket := s.truth["Bucket /invoices"]; !bucket.has("controller-gone") { // its type came last, and nobody is missed there for 90 seconds
			return fmt.Errorf("the causes of the bucket are %v", bucket.Diagnosis.Causes)
		}
		return nil
	})
	s.problems = healthProblems(t, s.p)
	return s
}

// faultyRun is a command behind the fault, and what came of it.
type faultyRun struct {
	scene *faultScene
	// name is that of the object that a command which writes is about.
	name string
	// environment is the one without the fault.
	environment []string
	folder      string

	out, errOut string
	code        int
}

func (s *faultScene) play(t *testing.T, command faultyCommand, schedule faults.Schedule) {
	t.Helper()
	folder := t.TempDir()
	r := &faultyRun{scene: s, name: fmt.Sprintf("fault-%d", schedule.Seed), folder: folder, environment: append(s.p.Env(plane.Admin), "XDG_STATE_HOME="+folder)}
	if command.prepare != nil {
		command.prepare(t, r)
	}
	proxy := faults.New(reverseProxy(t, s.p), schedule)
	r.run(t, append(r.environment, "KUBECONFIG="+faultyKubeconfig(t, proxy, schedule.HTTP2)), append(command.args(r), "--request-timeout=20s"))
	for _, write := range proxy.Writes() {
		if command.prepare == nil || !r.mayWrite(write) {
			t.Errorf("it wrote: %s", write)
		}
	}
	if strings.Contains(r.errOut, "goroutine ") {
		t.Error("it panicked")
	}
	command.check(t, r)
	if t.Failed() {
		t.Logf("$ kubectl finalizers %s\n%s%s(%d)", strings.Join(command.args(r), " "), r.out, r.errOut, r.code)
	}
}

// run runs the plugin, and looks at its time and memory.
func (r *faultyRun) run(t *testing.T, environment, args []string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), plugin, args...)
	command.Env = environment
	var out, errOut bytes.Buffer
	command.Stdout, command.Stderr = &out, &errOut
	began := time.Now()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	stop, peak := make(chan struct{}), make(chan int64)
	go func() { peak <- memory.Watch(command.Process.Pid, stop) }()
	_ = command.Wait()
	close(stop)
	if most := <-peak; most > faultMemoryLimit {
		t.Errorf("its memory was %d MiB", most>>20)
	}
	if took := time.Since(began); took > faultTimeLimit {
		t.Errorf("it took %s", took)
	}
	r.out, r.errOut, r.code = out.String(), errOut.String(), command.ProcessState.ExitCode()
}

// faultyKubeconfig is the way to a proxy.
func faultyKubeconfig(t *testing.T, proxy *faults.Proxy, http2 bool) (path string) {
	t.Helper()
	server := httptest.NewUnstartedServer(proxy)
	server.EnableHTTP2 = http2
	server.StartTLS()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	content := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"plane","contexts":[{"name":"plane","context":{"cluster":"faults","user":"faults"}}],`+
		`"clusters":[{"name":"faults","cluster":{"server":%q,"certificate-authority-data":%q}}],"users":[{"name":"faults","user":{}}]}`,
		server.URL, base64.StdEncoding.EncodeToString(authority))
	path = filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
