package e2e

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// TestRemovalWritesThePlan frees a namespace whose operator is gone, in one command, and compares what the API server
// was asked to write with the plan, to the last value of each patch.
func TestRemovalWritesThePlan(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "plan", "crates a b c"+deleted)
	mark := s.mark(t)
	out, _, code := s.remove(t, "ns/"+s.namespace, "--accept-leaks", "--dry-run=client", "-o", "json")
	wantOutput(t, code, 0, out)
	var plan struct {
		Server string
		Steps  []struct {
			Metadata struct{ Name string }
			Verdict  string
			Remove   []string
			Requests []struct {
				Verb, Path string
				Body       []patchOperation
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &plan); err != nil {
		t.Fatal(err)
	}
	var planned []string
	for _, step := range plan.Steps {
		for _, r := range step.Requests {
			planned = append(planned, fmt.Sprintf("%s %s 200 %v", strings.ToLower(r.Verb), r.Path, r.Body))
			if step.Verdict != "ControllerGone" || len(r.Body) != 4 || r.Body[0].Path != "/metadata/uid" || r.Body[1].Path != "/metadata/resourceVersion" || r.Body[3].Op != "remove" {
				t.Errorf("%s is %s and sends %v", step.Metadata.Name, step.Verdict, r.Body)
			}
		}
	}
	s.wantNoWrites(t, mark)

	out, _, code = s.remove(t, "ns/"+s.namespace, "--accept-leaks", "--yes")
	wantOutput(t, code, 0, out, "Finalizers removed from 3 of 3 objects (")
	slices.Sort(planned)
	tried, done := s.patches(t, mark)
	t.Logf("the plan:\n%s\nthe API server's audit log:\n%s\nthe audit file:\n%s", strings.Join(planned, "\n"), strings.Join(done, "\n"), s.noted(t))
	if !slices.Equal(done, planned) || len(done) != 3 {
		t.Error("what was written is not what was planned")
	}
	if !slices.Equal(tried, planned) {
		t.Errorf("what was sent as a dry run is not what was planned:\n%s", strings.Join(tried, "\n"))
	}
	if s.get(t, "ns/"+s.namespace, "{.metadata.name}") != "" {
		t.Error("the namespace is still there")
	}
	s.checkCopies(t, 3)
	s.wantAudited(t, mark)
}

// patchOperation is one of a JSON patch.
type patchOperation struct {
	Op, Path string
	Value    any
}

// patches are the dry runs and the writes of removals since the mark, all of them patches, with what they held. Dry runs for a
// diagnosis have no field manager.
func (s *removalScene) patches(t *testing.T, since plane.Mark) (tried, done []string) {
	t.Helper()
	for _, r := range s.sent(t, since) {
		address, err := url.Parse(r.URI)
		if err != nil {
			t.Fatal(err)
		}
		if r.DryRun && address.Query().Get("fieldManager") == "" {
			continue
		}
		var operations []patchOperation
		if err := json.Unmarshal(r.Body, &operations); err != nil {
			t.Errorf("%s %s holds %q: %v", r.Verb, r.URI, r.Body, err)
		}
		line := fmt.Sprintf("%s %s %d %v", r.Verb, address.Path, r.Code, operations)
		if r.DryRun {
			tried = append(tried, line)
		} else {
			done = append(done, line)
		}
	}
	slices.Sort(tried)
	slices.Sort(done)
	return tried, done
}

// noted are the writes that the audit files tell of, with what came of them, as lines.
func (s *removalScene) noted(t *testing.T) string {
	t.Helper()
	var lines []string
	for _, e := range s.auditEntries(t) {
		lines = append(lines, e.Request+": "+e.Result)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// checkCopies looks at the saved copies and the audit file of one run.
func (s *removalScene) checkCopies(t *testing.T, n int) {
	t.Helper()
	copies := s.savedCopies(t)
	if len(copies) != n {
		t.Errorf("saved copies: %v", copies)
	}
	for _, file := range copies {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		wantWords(t, string(content), []string{"finalizers:\n  - " + s.group + "/hold", "size: 3", "uid: "})
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v (%v)", file, info.Mode(), err)
		}
	}
	results := map[string]int{}
	for _, e := range s.auditEntries(t) {
		result, _, _ := strings.Cut(e.Result, ": ")
		results[result]++
		if e.Time == "" || e.User != plane.Admin || !strings.HasPrefix(e.Cluster, "https://") || e.ClusterUID == "" || e.Namespace != s.namespace || e.UID == "" ||
			!slices.Equal(e.Finalizers, []string{s.group + "/hold"}) || e.Verdict != "ControllerGone" ||
			!slices.Equal(e.Overrides, []string{removal.FlagAcceptLeaks}) || !strings.HasPrefix(e.Request, "PATCH "+s.path("")) {
			t.Errorf("audit line: %+v", e)
		}
	}
	if len(results) != 2 || results["begun"] != n || results["done"] != n {
		t.Errorf("the audit file tells of %v", results)
	}
}

var tokenPattern = regexp.MustCompile(`--confirm ([0-9a-f]{16})`)

// TestRemovalByToken does exactly what a dry run has shown, and nothing when that has changed.
func TestRemovalByToken(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "token", "crates a b\nkubectl delete -n $N crates.$G --all --wait=false\n")
	mark := s.mark(t)
	args := []string{s.crate("a"), s.crate("b"), "-n", s.namespace, "--accept-leaks"}
	out, _, code := s.remove(t, append(args, "--dry-run=server")...)
	wantOutput(t, code, 0, out, "2 of 2 accepted by the API server", "remove       "+s.group+"/hold\n", "To carry out exactly this plan:\n",
		"kubectl finalizers force-remove "+s.crate("a")+" "+s.crate("b")+" --accept-leaks --namespace="+s.namespace+" --confirm ")
	s.wantNoWrites(t, mark)
	if _, tried := s.writes(t, mark); len(tried) < 2 {
		t.Errorf("dry runs: %v", tried)
	}
	if len(s.savedCopies(t)) > 0 {
		t.Errorf("a dry run saved %v", s.savedCopies(t))
	}
	token := tokenPattern.FindStringSubmatch(out)[1]

	s.runScript(t, "kubectl annotate -n $N crates.$G/b seen=yes")
	_, errOut, code := s.remove(t, append(args, "--confirm", token)...)
	wantOutput(t, code, 3, errOut, "the confirmation token is out of date")
	s.wantNoWrites(t, mark)

	out, _, _ = s.remove(t, append(args, "--dry-run=server")...)
	token = tokenPattern.FindStringSubmatch(out)[1]
	out, _, code = s.remove(t, append(args, "--confirm", token, "-o", "name")...)
	wantOutput(t, code, 0, out, "crate."+s.group+"/a", "crate."+s.group+"/b")
	if done, _ := s.writes(t, mark); !slices.Equal(done, []string{"patch " + s.path("a") + " 200", "patch " + s.path("b") + " 200"}) {
		t.Errorf("written: %v", done)
	}
}

// TestRemovalOfANamespaceByToken frees a namespace as a script does: a dry run prints the token as JSON, and --confirm takes it.
func TestRemovalOfANamespaceByToken(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "nstoken", "crates a b"+deleted)
	mark := s.mark(t)
	args := []string{"ns/" + s.namespace, "--accept-leaks"}
	out, _, code := s.remove(t, append(args, "--dry-run=server", "-o", "json")...)
	wantOutput(t, code, 0, out)
	var plan struct{ Token string }
	if err := json.Unmarshal([]byte(out), &plan); err != nil || plan.Token == "" {
		t.Fatalf("the plan has the token %q (%v)", plan.Token, err)
	}
	s.wantNoWrites(t, mark)
	out, _, code = s.remove(t, append(args, "--confirm", plan.Token)...)
	wantOutput(t, code, 0, out, "removed from 2 of ", "namespace/"+s.namespace+" is deleted.")
	if done, _ := s.writes(t, mark); !slices.Equal(done, []string{"patch " + s.path("a") + " 200", "patch " + s.path("b") + " 200"}) {
		t.Errorf("written: %v", done)
	}
	if s.get(t, "ns/"+s.namespace, "{.metadata.name}") != "" {
		t.Error("the namespace is still there")
	}
	_, errOut, code := s.remove(t, append(args, "--confirm", plan.Token)...)
	wantOutput(t, code, 1, errOut, "not found")
}
