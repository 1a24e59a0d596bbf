package recording_test

import (
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
)

const explained = `! a warning
{"kind": "Explanation", "gaps": [{"source": "pods", "message": "forbidden"}],
 "target": {"kind": "Job", "metadata": {"namespace": "shop", "name": "a", "finalizers": ["x"]}, "diagnosis": {"verdict": "Blocked", "causes": [
   {"id": "owner-waits", "certainty": "Likely", "message": "waits for its Pods", "blockedBy": {"kind": "Pod", "namespace": "shop", "name": "b"},
    "explains": ["y", "x"], "evidence": ["a line"], "steps": [{"action": "check", "description": "see why"}]}]}},
 "waitsFor": [{"kind": "Pod", "metadata": {"name": "b"}, "similar": [{"name": "d"}], "diagnosis": {"causes": [{"id": "node-lost"}]}}]}`

// TestGoldenHoldsFacts holds that a golden file changes with every fact, and with no word of a sentence.
func TestGoldenHoldsFacts(t *testing.T) {
	want := recording.Golden("explain.json", explained)
	if !strings.HasPrefix(want, "{\n") || strings.Contains(want, "waits for") {
		t.Fatalf("the facts are:\n%s", want)
	}
	for _, words := range []string{"a warning", "waits for its Pods", "a line", "see why"} {
		if got := recording.Golden("explain.json", strings.Replace(explained, words, "other words", 1)); got != want {
			t.Errorf("without %q it is:\n%s", words, got)
		}
	}
	for fact, other := range map[string]string{
		"Explanation": "StuckList", "Job": "Pod", `"a"`: `"c"`, `"b"`: `"c"`, "shop": "store", `"y"`: `"z"`, "Blocked": "Unknown",
		"owner-waits": "node-lost", "node-lost": "owner-waits", "Likely": "Confirmed", "check": "force", `{"source": "pods", "message": "forbidden"}`: "", `{"name": "d"}`: "",
	} {
		if got := recording.Golden("explain.json", strings.ReplaceAll(explained, fact, other)); got == want {
			t.Errorf("%s may become %s, and the golden file stays as it is", fact, other)
		}
	}
}

func TestGoldenKeepsWhatIsNoDocument(t *testing.T) {
	for file, output := range map[string]string{"screen.txt": "! a warning\nNAME\n", "list.json": "error: no connection\n"} {
		if got := recording.Golden(file, output); got != output {
			t.Errorf("%s: %q", file, got)
		}
	}
}
