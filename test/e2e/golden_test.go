package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cmd"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/story"
)

// TestGoldenTypes compares what a fresh control plane serves with what the recordings say of it, so that none of them need say
// it again. With -update it runs first, before any story has added types.
func TestGoldenTypes(t *testing.T) {
	if plane.Version() != plane.DefaultVersion {
		t.Skip("other versions serve other types")
	}
	types, _, err := connect(t, sharedPlane(t), "").Types(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		types = slices.DeleteFunc(types, func(served stuck.Type) bool { return strings.HasSuffix(served.Group, removalGroups) })
		if err := recording.SaveTypes(scenarios, types); err != nil {
			t.Fatal(err)
		}
	}
	recorded, err := recording.LoadTypes(scenarios)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range recorded {
		if !slices.ContainsFunc(types, func(served stuck.Type) bool { return cmp.Equal(served, want) }) {
			t.Errorf("a fresh control plane does not serve %+v", want)
		}
	}
}

// TestGolden plays every story on a real control plane and compares what the plugin prints there with the golden files
// that its recording gave, ages and the like apart.
func TestGolden(t *testing.T) {
	stories, err := story.All(scenarios)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range stories {
		t.Run(s.Name(), func(t *testing.T) {
			t.Parallel()
			if !s.Playable(plane.Version()) {
				t.Skipf("it needs Kubernetes %s", s.Since)
			}
			p := planeOf(t, s)
			ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute+*observeFor) // its servers end with it
			defer cancel()
			if err := s.Play(ctx, p); err != nil {
				t.Fatal(err)
			}
			recorded := recording.Scenario{Name: s.Name(), Dir: s.Dir, List: s.List, Explain: s.Explain}
			if *update && plane.Version() == plane.DefaultVersion {
				waitForCauses(t, p, s)
				record(t, p, recorded)
				return
			}
			compareAll(t, p, recorded)
		})
	}
}

// observeFor is for a new story: what alternates between the tries of some controller is no state to take down, and fails one day.
var observeFor = flag.Duration("linger", 0, "look at each story for so long, and expect to see the same all the while")

// outputsOf is what command lines print.
func outputsOf(t *testing.T, p *plane.Plane, lines [][]string) string {
	t.Helper()
	var screen strings.Builder
	for _, args := range lines {
		if len(lines) > 1 {
			screen.WriteString("$ kubectl finalizers " + strings.Join(args, " ") + "\n")
		}
		out, errOut, code := kubectl(t, p, plane.Admin, append([]string{"finalizers"}, args...)...)
		screen.WriteString(recording.MergeOutput(out, errOut))
		if code != 0 {
			fmt.Fprintf(&screen, "(it ended with %d)\n", code)
		}
	}
	return screen.String()
}

// kubectl runs the real kubectl, which finds the plugin by its name.
func kubectl(t *testing.T, p *plane.Plane, user string, args ...string) (out, errOut string, code int) {
	t.Helper()
	command := exec.CommandContext(t.Context(), filepath.Join(p.Bin(), "kubectl"), args...)
	command.Env = p.Env(user)
	var o, e bytes.Buffer
	command.Stdout, command.Stderr = &o, &e
	if err := command.Run(); command.ProcessState == nil {
		t.Fatal(err)
	}
	return o.String(), e.String(), command.ProcessState.ExitCode()
}

// volatilePatterns are what differs from one time that a story is played to the next. Columns move with the width of ages.
var volatilePatterns = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`\d+/\d+ nodes are available:[^"\n]*`), "NODES"},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "UID"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ| \d\d:\d\d:\d\d UTC)`), "TIME"},
	{regexp.MustCompile(`\b(\d+d)?(\d+h)?(\d+m)?\d+(s|m|h|d)\b`), "AGE"},
	{regexp.MustCompile(`\S+_UID`), "HOLDER"},
	{regexp.MustCompile(`apiserver-[a-z0-9]{26}`), "SERVER"}, // the API server's own lease, by a hash of the machine's name
	{regexp.MustCompile(`-[a-z0-9]{8,10}-[a-z0-9]{5}\b`), "-POD"},
	{regexp.MustCompile(`(?i)\b(replicaset|rs)/(\S+?)-[bcdf-hj-np-tv-xz2456789]{8,10}\b`), "$1/$2-TEMPLATE"}, // a hash that depends on the fields that a version knows
	{regexp.MustCompile(`("name": "[a-z-]+)-[bcdf-hj-np-tv-xz2456789]{8,10}"`), `$1-TEMPLATE"`},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "ADDRESS"},
	{regexp.MustCompile(`\d+ bytes`), "BYTES"},       // of an object, whose managedFields grow
	{regexp.MustCompile(`revision=\d+`), "REVISION"}, // of etcd, which depends on what else was written
	{regexp.MustCompile(`(\S) {2,}`), "$1  "},
}

// listedGroups are the API groups of types in what list prints. A type goes without its group where no other has its name, so
// they depend on what else the control plane serves.
var listedGroups = regexp.MustCompile(`(\b\d+ [a-z]+|\b[a-z]+)\.[a-z0-9.-]+(/| |,|\n)`)

// wrapped is where prose goes on in the next line, which moves with the width of ages too.
var wrapped = regexp.MustCompile(`\n {3,}`)

// maskedLines are the lines of a golden file, so that a difference shows where it is. Prose that was wrapped is one line.
func maskedLines(text string) []string { return strings.Split(maskVolatile(text), "\n") }

func maskVolatile(text string) string {
	if list, rest, ok := strings.Cut(text, "$ kubectl finalizers explain"); ok {
		text = listedGroups.ReplaceAllString(list, "$1$2") + "$ kubectl finalizers explain" + rest
	}
	if !json.Valid([]byte(text)) {
		text = wrapped.ReplaceAllString(text, " ")
	}
	for _, m := range volatilePatterns {
		text = m.pattern.ReplaceAllString(text, m.with)
	}
	return text
}

// collectorDelay is how old a type has to be before explain says who watches it (pkg/controller/watchers.go). Before that it may,
// while the garbage collector has no watch yet: that is no state to take down.
const collectorDelay = 90 * time.Second

// waitForCauses waits until explain finds what a story is to prove, and knows who watches its types.
func waitForCauses(t *testing.T, p *plane.Plane, s story.Story) {
	t.Helper()
	began := time.Now()
	eventually(t, func() error {
		out, errOut, _ := kubectl(t, p, plane.Admin, append([]string{"finalizers", "explain", "-o", "json"}, s.Explain...)...)
		missing := slices.DeleteFunc(slices.Clone(s.Causes), func(id string) bool { return strings.Contains(out, `"id": "`+id+`"`) })
		restsOnWatches := strings.Contains(out, "API server metrics") || strings.Contains(out, "garbage collector may not watch it yet")
		switch {
		case len(missing) > 0:
			return fmt.Errorf("%v are not found: %s%s", missing, out, errOut)
		case restsOnWatches && time.Since(began) < collectorDelay:
			return errors.New("the garbage collector may have no watch on a new type yet")
		}
		return nil
	})
}

// record runs the story's commands on the real control plane and keeps its answers.
func record(t *testing.T, p *plane.Plane, s recording.Scenario) {
	t.Helper()
	types, err := recording.LoadTypes(scenarios)
	if err != nil {
		t.Fatal(err)
	}
	var recorder *recording.Recorder
	for _, lines := range s.GoldenFiles() {
		for _, args := range lines {
			var out, errOut bytes.Buffer
			program := cmd.New(genericiooptions.IOStreams{Out: &out, ErrOut: &errOut}, time.Now)
			program.Connect = func(flags *genericclioptions.ConfigFlags) (cluster.Source, error) {
				if recorder == nil { // all commands of a story are typed by one person
					recorder = recording.NewRecorder(connect(t, p, *flags.Impersonate), types)
				}
				return recorder, nil
			}
			if code := program.Run(t.Context(), args); code != 0 {
				t.Errorf("%v ended with %d: %s", args, code, &errOut)
			}
		}
	}
	recorder.ReadWhole(t.Context())
	if err := recorder.Recording().Save(s.Dir); err != nil {
		t.Error(fmt.Errorf("saving the recording of %s: %w", s.Name, err))
	}
}

// connect is the control plane as its admin sees it, or somebody whom they impersonate.
func connect(t *testing.T, p *plane.Plane, as string) cluster.Source {
	t.Helper()
	config, err := p.Config(plane.Admin)
	if err != nil {
		t.Fatal(err)
	}
	config.Impersonate.UserName = as
	server, err := live.Connect(config, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return server
}
