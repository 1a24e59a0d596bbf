package cmd_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"os"
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
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cmd"
)

// runOnStory runs a command on the recording of a story, without the answers that are hidden.
func runOnStory(t *testing.T, name string, hide func(string) bool, args ...string) (code int, out, errOut string) {
	t.Helper()
	stories, err := recording.Scenarios("../../testdata/scenarios")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(stories, func(s recording.Scenario) bool { return s.Name == name })
	source, err := stories[i].Source()
	if err != nil {
		t.Fatal(err)
	}
	source.Hide = hide
	var o, e bytes.Buffer
	p := cmd.New(genericiooptions.IOStreams{In: strings.NewReader(""), Out: &o, ErrOut: &e}, func() time.Time { return time.Time{} })
	p.Catalog = catalogOnce
	p.Connect = func(*genericclioptions.ConfigFlags) (cluster.Source, error) { return source, nil }
	code = p.Run(t.Context(), args)
	return code, o.String(), e.String()
}

const reports = "../../testdata/reports"

// reportFiles are the files that hold a report in each format.
var reportFiles = map[string]string{"junit": "junit.xml", "github": "github.txt", "markdown": "markdown.md", "openmetrics": "openmetrics.txt", "html": "page.html"}

// What list, explain, wait and preflight report of some stories is that of the golden files. To write them: -update.
func TestReports(t *testing.T) {
	noServers := func(question string) bool { return strings.Contains(question, "list apiservices") } // a gap
	for name, test := range map[string]struct {
		story string
		hide  func(string) bool
		args  []string
		code  int
	}{
		"list":      {"challenge-lost-its-secret", nil, []string{"list", "-n", "shop"}, 0},
		"explain":   {"carts-hold-a-namespace", nil, []string{"explain", "ns/shop"}, 0},
		"wait":      {"node-does-not-answer", nil, []string{"wait", "pod/sensor-0", "-n", "sensors", "--timeout=0"}, 2},
		"preflight": {"carts-hold-a-namespace", noServers, []string{"preflight", "ns/shop"}, 2},
		"nothing":   {"node-does-not-answer", nil, []string{"list", "configmaps", "-n", "sensors"}, 0},
	} {
		for format, file := range reportFiles {
			t.Run(name+" "+format, func(t *testing.T) {
				code, out, errOut := runOnStory(t, test.story, test.hide, append(test.args, "-o", format)...)
				if code != test.code {
					t.Fatalf("it ended with %d: %s", code, errOut)
				}
				compareReport(t, filepath.Join(reports, name, file), out)
			})
		}
	}
}

// compareReport compares a report with its golden file.
func compareReport(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(got), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A source that cannot be read is an error of JUnit, a warning of GitHub, a number and a line.
func TestReportsNameGaps(t *testing.T) {
	hide := func(question string) bool { return strings.Contains(question, "scan configmaps") }
	for format, want := range map[string]string{
		"junit": `(?s) errors="1".*<error type="Forbidden" message="configmaps`, "github": `(?m)^::warning title=could not be read::configmaps.*: `,
		"markdown": `(?m)^### Could not be read\n\n- configmaps`, "openmetrics": `(?m)^kubectl_finalizers_unread_sources 1`,
		"html": `(?s)<h1>Nothing stuck was found, but not everything could be read.</h1>.*<li>configmaps`,
	} {
		code, out, errOut := runOnStory(t, "node-does-not-answer", hide, "list", "configmaps,services", "-n", "sensors", "-o", format)
		if code != 0 || !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("%s: it ended with %d and printed\n%s%s", format, code, out, errOut)
		}
		if !strings.Contains(out, "not everything could be read") && format != "openmetrics" && format != "junit" {
			t.Errorf("%s says that nothing is stuck:\n%s", format, out)
		}
	}
}

func TestStepSummary(t *testing.T) {
	summary := filepath.Join(t.TempDir(), "summary")
	if err := os.WriteFile(summary, []byte("before\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GITHUB_STEP_SUMMARY", summary)
	if code, out, _ := runOnStory(t, "carts-hold-a-namespace", nil, "explain", "ns/shop", "-o", "github"); code != 0 || !strings.HasPrefix(out, "::error title=controller-gone") {
		t.Errorf("it ended with %d: %s", code, out)
	}
	got, err := os.ReadFile(summary)
	want, goldenErr := os.ReadFile(filepath.Join(reports, "explain", "markdown.md"))
	if err := errors.Join(err, goldenErr); err != nil || string(got) != "before\n"+string(want) {
		t.Errorf("%v: the summary is\n%s", err, got)
	}
	t.Setenv("GITHUB_STEP_SUMMARY", t.TempDir())
	if code, _, errOut := runOnStory(t, "carts-hold-a-namespace", nil, "explain", "ns/shop", "-o", "github"); code != 1 || !strings.Contains(errOut, "GITHUB_STEP_SUMMARY") {
		t.Errorf("a summary that cannot be written: it ended with %d: %s", code, errOut)
	}
}

// A file is replaced whole, and nothing is left beside it.
func TestOutputFile(t *testing.T) {
	folder := t.TempDir()
	file, link := filepath.Join(folder, "stuck.prom"), filepath.Join(folder, "link.prom")
	if err := errors.Join(os.WriteFile(file, []byte("old"), 0o600), os.Symlink(file, link)); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(reports, "list", "openmetrics.txt"))
	if err != nil {
		t.Fatal(err)
	}
	code, out, errOut := runOnStory(t, "challenge-lost-its-secret", nil, "list", "-n", "shop", "-o", "openmetrics", "--exit-code", "--output-file", link)
	got, err := os.ReadFile(file)
	if err != nil || code != 2 || out != "" || errOut != "" || !bytes.Equal(got, want) {
		t.Errorf("it ended with %d, printed %q, %q, and wrote %s, %v", code, out, errOut, got, err)
	}
	entries, err := os.ReadDir(folder)
	if info, statErr := os.Stat(file); err != nil || statErr != nil || len(entries) != 2 || info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v: %v, %v", err, statErr, entries, info)
	}
	for path, says := range map[string]string{os.DevNull: "is not a regular file", filepath.Join(folder, "no", "such"): "no such file"} {
		if code, _, errOut := runOnStory(t, "challenge-lost-its-secret", nil, "list", "-n", "shop", "--exit-code", "--output-file", path); code != 1 || !strings.Contains(errOut, says) {
			t.Errorf("%s: it ended with %d: %s", path, code, errOut)
		}
	}
	if code, _, errOut := runOnStory(t, "challenge-lost-its-secret", nil, "wait", "ns/shop", "--output-file", file); code != 1 || !strings.Contains(errOut, "--output-file takes a report") {
		t.Errorf("it ended with %d: %s", code, errOut)
	}
}

// explain and health print with the templates of kubectl get.
func TestExplainTemplates(t *testing.T) {
	code, out, errOut := runOnStory(t, "carts-hold-a-namespace", nil, "explain", "ns/shop", "-o", "jsonpath={.target.diagnosis.verdict}")
	if code != 0 || out != "ControllerGone" {
		t.Errorf("it ended with %d and printed %q, %q", code, out, errOut)
	}
	code, out, _ = runOnStory(t, "carts-hold-a-namespace", nil, "explain", "ns/shop", "-o", "go-template", "--template={{.kind}}")
	if code != 0 || out != "Explanation" {
		t.Errorf("it ended with %d and printed %q", code, out)
	}
	for format, says := range map[string]string{"jsonpath={.a": "unclosed", "go-template": "template", "xml": "unknown output format"} {
		if code, _, errOut := runOnStory(t, "carts-hold-a-namespace", nil, "explain", "ns/shop", "-o", format); code != 1 || !strings.Contains(errOut, says) {
			t.Errorf("%s: it ended with %d: %s", format, code, errOut)
		}
	}
}

// wellFormed reads XML to its end.
func wellFormed(text string) error {
	decoder := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func TestJUnitIsWellFormed(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(reports, "*", "junit.xml"))
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err = errors.Join(err, wellFormed(string(text))); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}
