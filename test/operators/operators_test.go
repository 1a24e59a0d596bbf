package operators

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/story"
)

var (
	play   = flag.Bool("play", false, "build the operators and play their stories, which takes long")
	update = flag.Bool("update", false, "write the golden files again")
)

const (
	plugin = "../../bin/kubectl-finalizers"
	golden = "facts.yaml"
)

// settleTimeout is how long a story may take to come to rest once its steps are done: controllers try again in growing intervals,
// and a watch on a new type tells nothing for a minute and a half.
const settleTimeout = 4 * time.Minute

// restTime is how long an explanation must stay the same before it is written down.
const restTime = 2 * time.Minute

// TestOperators plays the stories of each operator, each on a control plane of its own, and compares the facts of what explain says
// with the golden files. The screens are in the output of go test -v.
func TestOperators(t *testing.T) {
	if !*play {
		t.Skip("make operators plays them")
	}
	if err := plane.Build(t.Context(), plane.Version(), os.Stdout); err != nil {
		t.Fatal(err)
	}
	dirs, err := filepath.Glob("*/operator.yaml")
	if err != nil || len(dirs) == 0 {
		t.Fatal("there are no operators", err)
	}
	for _, file := range dirs {
		t.Run(filepath.Dir(file), func(t *testing.T) { playAll(t, filepath.Dir(file)) })
	}
}

// playAll builds an operator and plays its stories.
func playAll(t *testing.T, dir string) {
	operator, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	stories, err := operator.Stories()
	if err != nil {
		t.Fatal(err)
	}
	program, err := operator.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	modules, err := operator.ModuleDirs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range stories {
		t.Run(s.Name(), func(t *testing.T) {
			t.Parallel()
			playOne(t, Process{Operator: operator, Program: program}, s, modules)
		})
	}
}

// playOne plays a story, and compares what explain says at its end.
func playOne(t *testing.T, process Process, s story.Story, environment []string) {
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	process.Plane, process.Dir = startPlane(t, s), t.TempDir()
	ended := make(chan error, 1)
	go func() { ended <- process.Run(ctx) }()
	defer func() { // before the plane, which it needs to end in good order
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	if err := s.Play(ctx, process.Plane, environment...); err != nil {
		t.Fatalf("%v\nits log ends with:\n%s", err, tail(process.Log()))
	}
	compare(t, process.Plane, s)
	if t.Failed() || testing.Verbose() {
		out, errOut, _ := explain(t, process.Plane, s)
		t.Logf("%s%s\nits log ends with:\n%s", errOut, out, tail(process.Log()))
	}
}

func startPlane(t *testing.T, s story.Story) *plane.Plane {
	t.Helper()
	p, err := plane.Start(t.Context(), plane.Options{Dir: filepath.Join(t.TempDir(), "plane"), Kwok: true, EndpointRouting: s.EndpointRouting})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	path, err := filepath.Abs(plugin)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, filepath.Join(p.Bin(), "kubectl-finalizers")); err != nil {
		t.Fatal(err)
	}
	return p
}

// compare waits until the facts are those of the golden file, or, to write it, until they no longer change.
func compare(t *testing.T, p *plane.Plane, s story.Story) {
	t.Helper()
	file := filepath.Join(s.Dir, golden)
	want, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	begun := time.Now()
	last, since := "", begun
	for ; ; <-time.After(time.Second) {
		out, errOut, _ := explain(t, p, s, "-o", "json")
		got, err := factsOf([]byte(out))
		if err != nil {
			t.Fatalf("%v\n%s%s", err, errOut, out)
		}
		if got != last {
			last, since = got, time.Now()
		}
		if *update && time.Since(since) > restTime {
			if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
			return
		}
		if !*update && got == string(want) {
			return
		}
		if time.Since(begun) > settleTimeout {
			t.Errorf("%s (-golden +real):\n%s", file, cmp.Diff(string(want), got))
			return
		}
	}
}

// explain runs the plugin as the plane's admin.
func explain(t *testing.T, p *plane.Plane, s story.Story, more ...string) (out, errOut string, err error) {
	t.Helper()
	args := append(append([]string{"finalizers", "explain"}, s.Explain...), more...)
	command := exec.CommandContext(t.Context(), filepath.Join(p.Bin(), "kubectl"), args...)
	command.Env = p.Env(plane.Admin)
	var o, e bytes.Buffer
	command.Stdout, command.Stderr = &o, &e
	err = command.Run()
	return o.String(), e.String(), err
}

// tail are the last lines of a file, none of them whole that is very long.
func tail(file string) string {
	const lines, width = 12, 600
	content, err := os.ReadFile(file)
	if err != nil {
		return fmt.Sprint(err)
	}
	all := strings.Split(strings.TrimSpace(string(content)), "\n")
	all = all[max(0, len(all)-lines):]
	for i, line := range all {
		all[i] = line[:min(len(line), width)]
	}
	return strings.Join(all, "\n")
}
