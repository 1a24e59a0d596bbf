package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// settleTimeout is how long a story may need to come to rest on a busy machine once its steps are done: a watch that kubectl
// had open counts until the API server has noticed its end, and one on a new type says nothing for a minute and a half.
const settleTimeout = 3 * time.Minute

// restTimeout is how long a difference stays as it is before it is taken down as that of another Kubernetes version: longer than
// a new type says nothing of who watches it.
const restTimeout = 2 * time.Minute

// compareAll compares what the commands print with the golden files. The screen comes first: it says when there is more to see.
func compareAll(t *testing.T, p *plane.Plane, s recording.Scenario) {
	t.Helper()
	files := goldenFiles(t, s)
	for _, file := range files {
		switch output, diff := file.waitForNoDiff(t, p); {
		case diff != "" && *update:
			saveSkew(t, s.Name, file.name, file.content, output)
		case diff != "":
			t.Errorf("%s (-golden +real):\n%s", file.name, diff)
		}
	}
	for began := time.Now(); time.Since(began) < *observeFor; <-time.After(5 * time.Second) {
		for _, file := range files {
			if _, diff := file.look(t, p); diff != "" {
				t.Errorf("%s did not stay as it was (-golden +real):\n%s", file.name, diff)
			}
		}
	}
}

// goldenFile is a golden file of a story, and the command lines whose output it is about.
type goldenFile struct {
	story, name, content string
	lines                [][]string
}

// goldenFiles are those of a story, the screen first.
func goldenFiles(t *testing.T, s recording.Scenario) (files []goldenFile) {
	t.Helper()
	for name, lines := range s.GoldenFiles() {
		content, err := os.ReadFile(filepath.Join(s.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, goldenFile{s.Name, name, string(content), lines})
	}
	slices.SortFunc(files, func(a, b goldenFile) int { return strings.Compare(b.name, a.name) })
	return files
}

// look runs the commands once.
func (g goldenFile) look(t *testing.T, p *plane.Plane) (output, diff string) {
	t.Helper()
	output = recording.Golden(g.name, outputsOf(t, p, g.lines))
	return output, differs(t, g.story, g.name, g.content, output)
}

// waitForNoDiff looks until there is no difference, or for as long as there may be one. It says when the difference last
// changed: one that stays is another fault than one that comes and goes.
func (g goldenFile) waitForNoDiff(t *testing.T, p *plane.Plane) (output, diff string) {
	t.Helper()
	began := time.Now()
	for changed := began; ; <-time.After(max(pause(began, time.Second), saidPause(output))) {
		before := diff
		if output, diff = g.look(t, p); diff != before {
			changed = time.Now()
		}
		switch {
		case diff == "", *update && time.Since(changed) > restTimeout:
			return output, diff
		case time.Since(began) > settleTimeout:
			t.Logf("after %s it differs, and has differed so for %s", time.Since(began).Round(time.Second), time.Since(changed).Round(time.Second))
			return output, diff
		}
	}
}

// lookAgain is how the plugin says of a new type when it can say who watches it.
var lookAgain = regexp.MustCompile(`look\s+again\s+in\s+(\d+s)`)

// saidPause is how long the plugin says to wait before the next look, zero if it does not say.
func saidPause(output string) time.Duration {
	match := lookAgain.FindStringSubmatch(output)
	if match == nil {
		return 0
	}
	said, _ := time.ParseDuration(match[1]) // the pattern is that of a duration
	return said + time.Second
}
