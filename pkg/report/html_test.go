package report_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// pageContent is what a browser makes of a page.
type pageContent struct {
	elements      map[string]int
	policy        string
	script, style string
	// nodes are the texts of the nodes of the graph, and commands what can be copied.
	nodes, commands []string
	text            string
}

// readPage reads a page, and refuses what loads anything or runs anything.
func readPage(t *testing.T, page string) pageContent {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(strings.ReplaceAll(page, "\uffff", "?"))) // HTML has it, XML has not
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	out := pageContent{elements: map[string]int{}}
	var open []string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v:\n%s", err, page)
		}
		switch token := token.(type) {
		case xml.StartElement:
			open = append(open, token.Name.Local)
			out.elements[token.Name.Local]++
			out.checkAttributes(t, token)
			if token.Name.Local == "g" {
				out.nodes = append(out.nodes, "")
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			out.add(open, string(token))
		}
	}
	if len(open) > 0 || strings.Contains(out.style, "@import") || strings.Contains(out.style, "url(") {
		t.Errorf("%v are not closed, or the style loads something:\n%s", open, page)
	}
	return out
}

func (p *pageContent) checkAttributes(t *testing.T, e xml.StartElement) {
	t.Helper()
	attributes := map[string]string{}
	for _, a := range e.Attr {
		name := a.Name.Local
		attributes[name] = a.Value
		if strings.HasPrefix(name, "on") || name == "src" || name == "style" || name == "href" && !strings.HasPrefix(a.Value, "#") {
			t.Errorf("<%s> has %s=%q", e.Name.Local, name, a.Value)
		}
	}
	if attributes["http-equiv"] == "Content-Security-Policy" {
		p.policy = attributes["content"]
	}
}

func (p *pageContent) add(open []string, text string) {
	if len(open) == 0 {
		return
	}
	switch open[len(open)-1] {
	case "script":
		p.script += text
	case "style":
		p.style += text
	case "text":
		p.nodes[len(p.nodes)-1] += text + "\n"
	case "code":
		p.commands = append(p.commands, text)
	default:
		p.text += text
	}
}

func TestHTMLOfHostileNames(t *testing.T) {
	text := writeReport(t, "html", hostileReport())
	page := readPage(t, text)
	known := []string{
		"html", "head", "meta", "title", "style", "body", "main", "header", "section", "article", "h1", "h2", "h3", "h4", "p", "a", "b", "span", "dl", "dt", "dd",
		"ul", "ol", "li", "pre", "code", "div", "svg", "g", "path", "rect", "text", "script",
	}
	for name := range page.elements {
		if !slices.Contains(known, name) {
			t.Errorf("there is a <%s>:\n%s", name, text)
		}
	}
	for _, content := range []string{page.script, page.style} {
		sum := sha256.Sum256([]byte(content))
		if hash := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(page.policy, hash) {
			t.Errorf("%s is not in the policy %q", hash, page.policy)
		}
	}
	if !strings.HasPrefix(page.policy, "default-src 'none';") || page.elements["script"] != 1 || strings.ContainsAny(text, "\x00\x1b\r") {
		t.Errorf("%q:\n%q", page.policy, text)
	}
	if len(page.nodes) != 3 || !slices.Contains(page.commands, strings.ReplaceAll(stuck.EscapeText(hostile), "\uffff", "?")) {
		t.Errorf("nodes %q, commands %q", page.nodes, page.commands)
	}
}

// The page of one object begins with the answer, and draws what waits for what, similar objects folded.
func TestHTMLOfANamespace(t *testing.T) {
	many := stuckWidgets(20)
	for _, d := range many {
		d.Findings[0].Evidence = []string{"the Deployment has no Pods"}
		d.Findings[0].Steps = []stuck.Step{{Action: stuck.ActionChange, Description: "start it", Command: "kubectl -n operators scale deployment/widget-operator --replicas=1"}}
		d.Findings[0].OnForce = stuck.Cost{Leaves: stuck.LeakExternal, Description: "a disk"}
		d.NotRuledOut = []stuck.OpenCause{{Cause: "webhook-down", Source: "nodes"}}
	}
	r := report.NewReport("explain", []*stuck.Diagnosis{terminatingNamespace(many...)}, []stuck.Gap{{Source: "nodes", Error: "forbidden"}}, now)
	page := readPage(t, writeReport(t, "html", r))
	want := []string{
		"namespace/shop\nBlocked\nit still holds objects\n", "20 widgets.example.com\nBlocked\nits controller is down\n[1]\n",
		"deployment/widget-operator\n-n operators\ncontroller-down\n",
	}
	if !slices.Equal(page.nodes, want) || page.elements["path"] != 2*2 {
		t.Errorf("the graph has %d paths and the nodes %q", page.elements["path"], page.nodes)
	}
	if !slices.Equal(page.commands, []string{"kubectl -n operators scale deployment/widget-operator --replicas=1"}) {
		t.Errorf("commands: %q", page.commands)
	}
	for _, part := range []string{
		"\nnamespace/shop is blocked because of 20 widgets.example.com: its controller is down.\n", "holds 20 widgets.example.com -n shop", "the Deployment has no Pods",
		": a disk", "nodes: forbidden", "So these causes could not be checked: webhook-down", "Not everything could be read.",
	} {
		if !strings.Contains(page.text, part) {
			t.Errorf("%q is not in\n%s", part, page.text)
		}
	}
}

// A graph that nobody could read is not drawn, and the page says so.
func TestHTMLOfALargeGraph(t *testing.T) {
	var all []*stuck.Diagnosis
	for i := range 201 {
		d := stuckWidget(fmt.Sprintf("w%d", i))
		d.Findings[0].Cause = fmt.Sprintf("cause-%d", i)
		all = append(all, d)
	}
	page := readPage(t, writeReport(t, "html", report.NewReport("list", all, nil, now)))
	if page.elements["svg"] != 0 || page.elements["article"] != 200 || page.elements["tr"] != 202 {
		t.Errorf("%v", page.elements)
	}
	for _, part := range []string{"The graph has 202 nodes", "Not shown: 1 more."} {
		if !strings.Contains(page.text, part) {
			t.Errorf("%q is not in the page", part)
		}
	}
}

func TestHTMLOfNothing(t *testing.T) {
	page := readPage(t, writeReport(t, "html", report.NewReport("list", nil, nil, now)))
	if !strings.Contains(page.text, "Nothing is stuck.") || page.elements["section"] != 0 {
		t.Errorf("%v\n%s", page.elements, page.text)
	}
}
