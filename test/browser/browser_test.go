// Package browser opens in a real browser what is drawn for browsers: -o html, and -o mermaid with mermaid itself.
package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cmd"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var browse = flag.Bool("browse", false, "open Chromium, with the mermaid that npm has installed: make browser")

// graph is one that mermaid draws.
type graph struct {
	Name, Text string
}

// drawn is what mermaid has made of a graph.
type drawn struct {
	Name, Error string
	Nodes       []string
	Edges       int
}

// Mermaid draws the graph of every story, and of names that look like its own language.
func TestMermaidDrawsEveryStory(t *testing.T) {
	graphs := []graph{hostileGraph(t)}
	for _, story := range stories(t) {
		if text := explain(t, story, "mermaid"); text != "" {
			graphs = append(graphs, graph{story.Name, text})
		}
	}
	all := drawMermaid(t, graphs)
	if len(all) != len(graphs) || len(all) < 50 {
		t.Fatalf("%d of %d graphs are drawn", len(all), len(graphs))
	}
	for i, g := range graphs {
		nodes, edges := len(nodeLine.FindAllString(g.Text, -1)), strings.Count(g.Text, " --> ")
		if d := all[i]; d.Error != "" || len(d.Nodes) != nodes || d.Edges != edges {
			t.Errorf("%s: %d nodes and %d edges are drawn, not %d and %d: %s\n%s", g.Name, len(d.Nodes), d.Edges, nodes, edges, d.Error, g.Text)
		}
	}
	for _, name := range hostileNames {
		if !slices.ContainsFunc(all[0].Nodes, func(text string) bool { return strings.Contains(text, name) }) {
			t.Errorf("%q is not among the texts: %q", name, all[0].Nodes)
		}
	}
}

// The pages open without an error and without a network.
func TestPagesOpen(t *testing.T) {
	opened := 0
	for _, story := range stories(t) {
		if !slices.Contains([]string{"challenge-lost-its-secret", "apiservice-without-a-server", "claim-is-in-use"}, story.Name) {
			continue
		}
		opened++
		page := filepath.Join(t.TempDir(), "page.html")
		text := explain(t, story, "html")
		if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		document := open(t, page)
		if !strings.Contains(document, "<svg") || strings.Count(document, "<pre") != strings.Count(text, "<pre") {
			t.Errorf("%s: the page is not whole:\n%s", story.Name, document)
		}
	}
	if opened != 3 {
		t.Errorf("%d pages were opened", opened)
	}
}

// nodeLine begins a node of a mermaid graph.
var nodeLine = regexp.MustCompile(`(?m)^  n\d+[\[{(]`)

// hostileNames could be taken for mermaid, for HTML or for an entity. Mermaid shows blanks in a row as one.
var hostileNames = []string{`w"]; n0 --> n0["`, `<script>alert(1)</script>`, `#quot; &amp;`, "end", "%% comment", "`code` **bold**"}

func hostileGraph(t *testing.T) graph {
	t.Helper()
	var all []*stuck.Diagnosis
	for i, name := range hostileNames {
		all = append(all, &stuck.Diagnosis{
			Object:   stuck.Object{Type: stuck.Type{Group: fmt.Sprintf("g%d.example.com", i), Version: "v1", Resource: "widgets", SingularName: "widget", Kind: "Widget"}, Name: name},
			Verdict:  stuck.Blocked,
			Findings: []stuck.Finding{{Cause: "cause", Verdict: stuck.Blocked, Message: name}},
		})
	}
	var out bytes.Buffer
	if err := report.Mermaid(&out, all); err != nil {
		t.Fatal(err)
	}
	return graph{"hostile names", out.String()}
}

func stories(t *testing.T) []recording.Scenario {
	t.Helper()
	if !*browse {
		t.Skip("make browser opens a browser")
	}
	all, err := recording.Scenarios("../../testdata/scenarios")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// explain is what explain prints for a story in a format, nothing where its recording lacks an answer.
func explain(t *testing.T, story recording.Scenario, format string) string {
	t.Helper()
	source, err := story.Source()
	if err != nil {
		t.Fatal(err)
	}
	args := slices.Clone(story.GoldenFiles()["explain.json"][0])
	args[slices.Index(args, "json")] = format
	var out, errOut bytes.Buffer
	p := cmd.New(genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &errOut}, source.Now)
	p.Connect = func(*genericclioptions.ConfigFlags) (cluster.Source, error) { return source, nil }
	if code := p.Run(t.Context(), args); code != 0 {
		t.Fatalf("%v ended with %d: %s", args, code, errOut.String())
	}
	if len(source.Unrecorded()) > 0 {
		return ""
	}
	return out.String()
}

// drawMermaid draws all graphs on one page.
func drawMermaid(t *testing.T, graphs []graph) []drawn {
	t.Helper()
	library, err := os.ReadFile("../../bin/browser/node_modules/mermaid/dist/mermaid.min.js")
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(graphs)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := fmt.Sprintf(`<!DOCTYPE html><meta charset="utf-8"><body><script src="mermaid.min.js"></script><script>
		const graphs = %s, all = [];
		mermaid.initialize({startOnLoad: false});
		(async () => {
			for (const [i, g] of graphs.entries()) {
				const out = {Name: g.Name, Error: "", Nodes: [], Edges: 0};
				try {
					const box = document.createElement("div");
					box.innerHTML = (await mermaid.render("graph" + i, g.Text)).svg;
					out.Nodes = [...box.querySelectorAll(".node")].map(n => n.textContent);
					out.Edges = box.querySelectorAll("path.flowchart-link").length;
				} catch (err) { out.Error = String(err); }
				all.push(out);
			}
			const result = document.createElement("pre");
			result.textContent = JSON.stringify(all);
			document.body.replaceChildren(result);
		})();
	</script></body>`, data)
	page := filepath.Join(dir, "page.html")
	for path, content := range map[string][]byte{page: []byte(script), filepath.Join(dir, "mermaid.min.js"): library} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	document := open(t, page)
	_, result, _ := strings.Cut(document, "<pre>")
	result, _, found := strings.Cut(result, "</pre>")
	var all []drawn
	if err := json.Unmarshal([]byte(html.UnescapeString(result)), &all); err != nil || !found {
		t.Fatalf("the page says nothing: %v\n%.2000s", err, document)
	}
	return all
}

// open opens a page in Chromium, without a network, and returns its document when its scripts have ended.
func open(t *testing.T, page string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(),
		"--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr", "--virtual-time-budget=600000", "--dump-dom", "file://"+page)
	var out, log bytes.Buffer
	command.Stdout, command.Stderr = &out, &log
	if err := command.Run(); err != nil {
		t.Fatalf("chromium: %v: %s", err, log.String())
	}
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "CONSOLE") {
			t.Errorf("the page complains: %s", line)
		}
	}
	return out.String()
}
