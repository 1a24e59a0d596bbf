package plane_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// orphanEnv makes this test program start a plane in the directory it names, and wait to be killed.
const orphanEnv = "PLANE_TEST_ORPHAN"

func TestMain(m *testing.M) {
	if dir := os.Getenv(orphanEnv); dir != "" {
		if _, err := plane.Start(context.Background(), plane.Options{Dir: dir}); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("started")
		select {}
	}
	if err := plane.Build(context.Background(), plane.Version(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// start starts a plane that is stopped at the end of the test.
func start(t *testing.T, options plane.Options) *plane.Plane {
	t.Helper()
	options.Dir = filepath.Join(t.TempDir(), "plane")
	p, err := plane.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closePlane(t, p) })
	return p
}

func closePlane(t *testing.T, p *plane.Plane) {
	t.Helper()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// client is a client that uses a kubeconfig.
func client(t *testing.T, p *plane.Plane, user string) kubernetes.Interface {
	t.Helper()
	config, err := p.Config(user)
	if err != nil {
		t.Fatal(err)
	}
	made, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// eventually asks until there is no error, for as long as a busy machine may take.
func eventually(t *testing.T, ask func() error) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for range time.Tick(20 * time.Millisecond) {
		err := ask()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}
