package cmd_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/dump"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/snapshot"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// TestSnapshotsExplainAsTheCluster holds that list and explain print of a snapshot what they print
// of the cluster that it was made of, to the letter, for every story.
func TestSnapshotsExplainAsTheCluster(t *testing.T) {
	emptyHome(t)
	stories, err := recording.AllScenarios("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, story := range stories {
		t.Run(story.Name, func(t *testing.T) {
			t.Parallel()
			source, err := story.Source()
			if err != nil {
				t.Fatal(err)
			}
			recorder := snapshot.NewRecorder(withManagers{source})
			lines := story.GoldenFiles()["screen.txt"]
			live := runLines(t, recorder, lines)
			file := filepath.Join(t.TempDir(), "snapshot.tar.gz")
			f, err := os.Create(file)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := recorder.Write(f, "snapshot", snapshot.Options{}); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			from, err := dump.Open(file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(live, runLines(t, from, lines)); diff != "" {
				t.Errorf("from the snapshot (-live +snapshot):\n%s", diff)
			}
		})
	}
}

// storyOfClaim is a story with one stuck object, and what was recorded of it.
func storyOfClaim(t *testing.T) (recording.Scenario, *recording.Source) {
	t.Helper()
	stories, err := recording.Scenarios("../../testdata/scenarios")
	if err != nil {
		t.Fatal(err)
	}
	story := stories[slices.IndexFunc(stories, func(s recording.Scenario) bool { return s.Name == "claim-is-in-use" })]
	source, err := story.Source()
	if err != nil {
		t.Fatal(err)
	}
	return story, source
}

// TestSnapshotCommand makes a snapshot as a user does, and explains from it another object than the
// one that it was made for.
func TestSnapshotCommand(t *testing.T) {
	emptyHome(t)
	story, source := storyOfClaim(t)
	file := filepath.Join(t.TempDir(), "case.tar.gz")
	args := append([]string{"snapshot", "-o", file}, story.List...)
	var out, errOut bytes.Buffer
	if code := program(source, &out, &errOut).Run(t.Context(), args); code != 0 || !strings.Contains(errOut.String(), "left out: the contents of Secrets") {
		t.Fatalf("it ended with %d: %s%s", code, &out, &errOut)
	}
	if code := program(source, &out, &errOut).Run(t.Context(), args); code != 1 || !strings.Contains(errOut.String(), "exists and is not replaced") {
		t.Errorf("a second one ended with %d: %s", code, &errOut)
	}
	golden, err := os.ReadFile(filepath.Join(story.Dir, "screen.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{append([]string{"list"}, story.List...), append([]string{"explain"}, story.Explain...)} {
		out, errOut, code := runFrom(t, "", append(command, "--from", file)...)
		if code != 0 || !strings.Contains(string(golden), out) || !strings.HasPrefix(errOut, source.Now().Format("as of 2006-01-02 15:04 MST, from a snapshot\n")) {
			t.Errorf("%v ended with %d:\n%s%s", command, code, errOut, out)
		}
	}
}

// TestSnapshotOfWhatCannotBeExplained holds that an object which cannot be read does not cost the snapshot: the others are in it, and
// the error is.
func TestSnapshotOfWhatCannotBeExplained(t *testing.T) {
	emptyHome(t)
	story, source := storyOfClaim(t)
	file := filepath.Join(t.TempDir(), "case.tar.gz")
	var out, errOut bytes.Buffer
	code := program(withoutClaims{source}, &out, &errOut).Run(t.Context(), append([]string{"snapshot", "-o", file}, story.List...))
	if code != 0 || !strings.Contains(errOut.String(), "could not be explained: reading persistentvolumeclaim/data") {
		t.Fatalf("it ended with %d: %s%s", code, &out, &errOut)
	}
	listed, _, _ := runFrom(t, "", append([]string{"list", "--from", file}, story.List...)...)
	if !strings.Contains(listed, "pvc/data") {
		t.Errorf("the snapshot does not list the claim:\n%s", listed)
	}
}

// withoutClaims is a recording of an API server that is overloaded when it is asked for one claim.
type withoutClaims struct{ *recording.Source }

func (s withoutClaims) Metadata(ctx context.Context, t stuck.Type, namespace, name string) (*metav1.PartialObjectMetadata, error) {
	if t.Resource == "persistentvolumeclaims" {
		return nil, apierrors.NewServiceUnavailable("etcdserver: too many requests")
	}
	return s.Source.Metadata(ctx, t, namespace, name)
}

// withManagers is a recording whose whole objects have their field managers, as those of an API
// server do. A recording has them in the metadata alone.
type withManagers struct{ *recording.Source }

func (s withManagers) Get(ctx context.Context, t stuck.Type, namespace, name string) (*unstructured.Unstructured, error) {
	u, err := s.Source.Get(ctx, t, namespace, name)
	if err != nil {
		return nil, err
	}
	return s.complete(ctx, t, *u), nil
}

func (s withManagers) List(ctx context.Context, t stuck.Type, sel cluster.Selection, visit func(unstructured.Unstructured)) error {
	return s.Source.List(ctx, t, sel, func(u unstructured.Unstructured) { visit(*s.complete(ctx, t, u)) })
}

func (s withManagers) complete(ctx context.Context, t stuck.Type, u unstructured.Unstructured) *unstructured.Unstructured {
	m, err := s.Metadata(ctx, t, u.GetNamespace(), u.GetName())
	if err != nil {
		return &u
	}
	out := u.DeepCopy()
	out.SetManagedFields(m.ManagedFields)
	return out
}
