package story_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/story"
)

func TestMain(m *testing.M) {
	if err := plane.Build(context.Background(), plane.Version(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// write writes a story into a folder of its own below root.
func write(t *testing.T, root, name, content string) {
	t.Helper()
	dir := filepath.Join(root, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "story.yaml"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestLoadRefuses(t *testing.T) {
	for name, test := range map[string]struct{ content, want string }{
		"a misspelt field":       {"title: it\nstepps: [x]\n", "stepps"},
		"no steps":               {"title: it\n", "needs a title and steps"},
		"a disturber of others":  {"title: it\nsteps: [stop kwok]\n", "own: true"},
		"an extension for all":   {"title: it\nextension: true\nsteps: [x]\n", "own: true"},
		"a list that is no list": {"title: it\nsteps: x\n", "steps"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			write(t, root, "it", test.content)
			if _, err := story.All(root); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error does not say %q: %v", test.want, err)
			}
		})
	}
}

// stories are two that go together, and two that fail.
var stories = map[string]string{
	"holds": `
title: A finalizer that nobody removes
steps:
- printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"held","finalizers":["example.com/x"]}}' > "$PLANE_DIR/held.json"
- kubectl create namespace shop
- kubectl -n shop create -f "$PLANE_DIR/held.json"
- kubectl delete namespace shop --wait=false
- kubectl wait namespace/shop --for=condition=NamespaceFinalizersRemaining --timeout=5m
`,
	"stops": `
title: A namespace that nobody works on
own: true
steps:
- kubectl create namespace idle
- stop kube-controller-manager
- kubectl delete namespace idle --wait=false
- kubectl get namespace idle
- start kube-controller-manager
- kubectl wait namespace/idle --for=delete --timeout=5m
`,
	"fails": `
title: A step that does not work
steps: [kubectl get namespace none-of-these, touch "$PLANE_DIR/went-on"]
`,
	"serves": `
title: An extension server that answers anything
own: true
extension: true
steps:
- printf "https://localhost:$EXTENSION_PORT/apis/any/v1" > "$PLANE_DIR/address"
`,
	"hangs": `
title: A step that does not end
own: true
steps: [sleep 600]
`,
}

func TestPlay(t *testing.T) {
	root := t.TempDir()
	for name, content := range stories {
		write(t, root, name, content)
	}
	all, err := story.All(root)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plane.Start(t.Context(), plane.Options{Dir: filepath.Join(t.TempDir(), "plane")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	fails, hangs, holds, serves, stops := all[0], all[1], all[2], all[3], all[4]

	ended := map[string]error{}
	_ = story.PlayAll(t.Context(), p, []story.Story{fails, holds}, 2, func(s story.Story, err error) { ended[s.Name()] = err })
	if err := ended["holds"]; err != nil {
		t.Error(err)
	}
	for _, want := range []string{"fails, step 1 of 2: kubectl get", `namespaces "none-of-these" not found`} {
		if err := ended["fails"]; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
	if _, err := os.Stat(filepath.Join(p.Dir(), "went-on")); err == nil {
		t.Error("the story went on after a step that failed")
	}
	if err := stops.Play(t.Context(), p); err != nil {
		t.Error(err)
	}
	if err := serves.Play(t.Context(), p); err != nil {
		t.Error(err)
	}
	if got := getResponse(t, filepath.Join(p.Dir(), "address")); !strings.Contains(got, "It works!") {
		t.Errorf("after its story the extension server answers %q", got)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := hangs.Play(ctx, p); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a story that was cut short says %v", err)
	}
}

// getResponse is what the server answers whose address is in a file.
func getResponse(t *testing.T, file string) string {
	t.Helper()
	address, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	anybody := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	answer, err := (&http.Client{Transport: anybody}).Get(string(address))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// TestStoriesKeepApart holds that no two stories which share a control plane live in one namespace: each would show what is
// stuck of the other, or could not create what is there.
func TestStoriesKeepApart(t *testing.T) {
	all, err := story.All("../../testdata/scenarios")
	if err != nil {
		t.Fatal(err)
	}
	lives := map[string]string{}
	for _, s := range all {
		if s.NeedsOwnPlane() {
			continue
		}
		for _, namespace := range namespaces(t, s) {
			if other := lives[namespace]; other != "" {
				t.Errorf("%s and %s both live in namespace %s", other, s.Name(), namespace)
			}
			lives[namespace] = s.Name()
		}
	}
	if len(lives) < 50 {
		t.Errorf("no more than %d namespaces were looked at", len(lives))
	}
}

var createdNamespacePattern = regexp.MustCompile(`(?m)create namespace (\S+)|kind: Namespace\nmetadata:\n  name: (\S+)`)

// namespaces are those that a story looks at or creates.
func namespaces(t *testing.T, s story.Story) []string {
	t.Helper()
	var found []string
	if i := slices.Index(s.List, "-n"); i >= 0 {
		found = append(found, s.List[i+1])
	}
	files, err := filepath.Glob(filepath.Join(s.Dir, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if filepath.Base(file) == "recording.yaml" {
			continue
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range createdNamespacePattern.FindAllStringSubmatch(string(content), -1) {
			found = append(found, match[1]+match[2])
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}
