package e2e

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/story"
)

var predict = flag.Bool("predict", false, "ask preflight about the stories before their deletion")

// laterAction is a step of a story behind the deletion that does more than wait.
var laterAction = regexp.MustCompile(`kubectl .*\b(apply|create|delete|patch|scale|annotate|label|taint|replace|set|edit)\b|^(stop|start|garble|seal|fill) `)

// TestPredictStories plays each story up to its deletion, and logs what preflight says then. It is
// run with -predict: `go test -C test ./e2e -run TestPredictStories -predict -v`. Where all that
// the story needs is there before the deletion, preflight must not say that it would go through. It
// must never say that a deletion gets stuck on which a controller works.
func TestPredictStories(t *testing.T) {
	if !*predict {
		t.Skip("without -predict")
	}
	stories, err := story.All(scenarios)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range stories {
		t.Run(s.Name(), func(t *testing.T) {
			t.Parallel()
			at := slices.IndexFunc(s.Steps, func(step string) bool { return deletesTarget(s, step) })
			if at < 0 || len(s.Explain) == 0 {
				t.Log("RESULT no-deletion: no step deletes the target")
				return
			}
			later := slices.ContainsFunc(s.Steps[at+1:], laterAction.MatchString)
			before := s
			before.Steps = s.Steps[:at]
			p := planeOf(t, s)
			if err := before.Play(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			logPrediction(t, p, s, deletedObjects(s, s.Steps[at]), later)
		})
	}
}

// deletesTarget reports whether a step deletes what the story explains.
func deletesTarget(s story.Story, step string) bool {
	if !strings.Contains(step, "kubectl delete") && !strings.Contains(step, "kubectl drain") || len(s.Explain) == 0 {
		return false
	}
	_, name, _ := strings.Cut(s.Explain[0], "/")
	return name != "" && strings.Contains(step, name) || strings.Contains(step, "delete namespace")
}

// verdictOf is the verdict that explain gives at the end of the story.
func verdictOf(t *testing.T, s story.Story) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(s.Dir, "explain.json"))
	var golden struct {
		Target struct{ Verdict string }
	}
	if err := errors.Join(err, json.Unmarshal(content, &golden)); err != nil {
		t.Fatal(err)
	}
	return golden.Target.Verdict
}

// deletedObjects are the arguments that name what a step deletes, where it names several objects, and otherwise what the story explains.
func deletedObjects(s story.Story, step string) []string {
	var objects []string
	if rest, ok := strings.CutPrefix(step, "kubectl delete "); ok && !strings.Contains(step, "\n") && slices.Contains(s.Explain, "-n") {
		objects = slices.DeleteFunc(strings.Fields(rest), func(word string) bool { return strings.HasPrefix(word, "-") || !strings.Contains(word, "/") })
	}
	if len(objects) < 2 {
		return s.Explain
	}
	return slices.Concat(objects, s.Explain[slices.Index(s.Explain, "-n"):])
}

func logPrediction(t *testing.T, p *plane.Plane, s story.Story, objects []string, later bool) {
	t.Helper()
	out, errOut, code := finalizers(t, p.Env(plane.Admin), append([]string{"preflight", "-o", "json"}, objects...)...)
	var report struct {
		Outcome string
		Causes  []struct{ ID string }
		Gaps    []struct{ Source, Message string }
	}
	_ = json.Unmarshal([]byte(out), &report) // without a document there is an error to log
	var ids []string
	named := false
	for _, c := range report.Causes {
		ids = append(ids, c.ID)
		named = named || slices.Contains(s.Causes, c.ID)
	}
	text, _, secondCode := finalizers(t, p.Env(plane.Admin), append([]string{"preflight"}, objects...)...)
	result, verdict := "not-predicted", verdictOf(t, s)
	switch {
	case code == 0 && verdict == "Progressing":
		result = "predicted-to-go-through"
	case code == 2 && named:
		result = "predicted"
	case code == 2:
		result = "predicted-otherwise"
	case later:
		result = "cause-comes-later"
	case code == 4:
		result = "unknown"
	}
	t.Logf("RESULT %s: exit %d, %v, the story: %v, gaps: %v\n%s%s", result, code, ids, s.Causes, fmt.Sprint(report.Gaps), errOut, text)
	// A part of kube-controller-manager that is switched off shows only afterwards, and so does a
	// deletion in the foreground.
	shows := s.Controllers == "" && !slices.ContainsFunc(s.Steps, func(step string) bool { return strings.Contains(step, "--cascade=foreground") })
	if code == 0 && !later && shows && verdict != "Progressing" {
		t.Error("preflight says that it would go through")
	}
	if code == 2 && secondCode == 2 && verdict == "Progressing" { // the watch of a controller may open in between
		t.Error("preflight says that it would get stuck")
	}
}
