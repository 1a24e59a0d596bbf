// Package e2e runs the plugin that was built on a real control plane: every story, and what users of different rights
// and with bad input see.
package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/story"
)

var update = flag.Bool("update", false, "record the stories again")

const (
	plugin    = "../../bin/kubectl-finalizers"
	scenarios = "../../testdata/scenarios"
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if _, err := os.Stat(plugin); err != nil {
		fmt.Fprintln(os.Stderr, "the plugin is not built: make build")
		return 1
	}
	if err := plane.Build(context.Background(), plane.Version(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer stopShared()
	return m.Run()
}

// shared is the control plane on which all stories live that do not disturb each other.
var shared struct {
	once  sync.Once
	plane *plane.Plane
	err   error
	dir   string
}

// sharedPlane is started by the first test that needs it.
func sharedPlane(t *testing.T) *plane.Plane {
	t.Helper()
	shared.once.Do(func() {
		if shared.dir, shared.err = os.MkdirTemp("", "plane"); shared.err != nil {
			return
		}
		options := plane.Options{Dir: filepath.Join(shared.dir, "plane"), Kwok: true, NoHistograms: true}
		if shared.plane, shared.err = plane.Start(context.Background(), options); shared.err != nil {
			return
		}
		if shared.err = link(shared.plane); shared.err != nil {
			return
		}
		shared.err = createPooledTypes(context.Background(), shared.plane)
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.plane
}

func stopShared() {
	if shared.plane != nil {
		if err := shared.plane.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	os.RemoveAll(shared.dir)
}

// ownPlane is a control plane for one test alone.
func ownPlane(t *testing.T) *plane.Plane {
	t.Helper()
	return planeWith(t, plane.Options{})
}

func planeWith(t *testing.T, options plane.Options) *plane.Plane {
	t.Helper()
	options.Dir, options.Kwok = filepath.Join(t.TempDir(), "plane"), true
	p, err := plane.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := link(p); err != nil {
		t.Fatal(err)
	}
	return p
}

// link puts the plugin beside the plane's kubectl, which then finds it by its name.
func link(p *plane.Plane) error {
	path, err := filepath.Abs(plugin)
	if err != nil {
		return err
	}
	return os.Symlink(path, filepath.Join(p.Bin(), "kubectl-finalizers"))
}

// planeOf is the control plane that a story is to be played on.
func planeOf(t *testing.T, s story.Story) *plane.Plane {
	t.Helper()
	if s.NeedsOwnPlane() {
		options := plane.Options{Controllers: s.Controllers, DisabledAdmission: s.DisabledAdmission, EndpointRouting: s.EndpointRouting}
		if s.StaticPolicies != "" {
			options.StaticPolicies = filepath.Join(s.Dir, s.StaticPolicies)
		}
		return planeWith(t, options)
	}
	return sharedPlane(t)
}
