package report

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

//go:embed page
var pageFiles embed.FS

var pageTemplate = template.Must(template.New("page.html").Funcs(template.FuncMap{
	"line": stuck.EscapeLine, "text": stuck.EscapeText, "class": verdictClass, "add": func(a, b int) int { return a + b },
}).ParseFS(pageFiles, "page/page.html"))

// maxPageRows and maxPageIssues are how many rows of a table and how many causes a page has.
const (
	maxPageRows   = 1000
	maxPageIssues = 200
)

// HTML writes a report as a page of one file that needs no network: the answer, the graph of
// what waits for what, each cause with its evidence and steps, and what could not be read. Its
// policy lets a browser load nothing, and run no script but the one that copies commands.
func HTML(out io.Writer, r Report) error {
	page, err := newPage(r)
	if err != nil {
		return err
	}
	var whole bytes.Buffer
	if err := pageTemplate.Execute(&whole, page); err != nil {
		return err
	}
	_, err = whole.WriteTo(out)
	return err
}

// page is what the template fills in.
type page struct {
	Title, Answer string
	// Read is when it was read, empty where that is not known.
	Read string
	// Facts are about the object, where the report is about one.
	Facts []fact
	// Graph is nil where there is nothing to draw, and TooMany the nodes of one that is too
	// much to be read.
	Graph   *picture
	TooMany int
	Issues  []Issue
	// MoreIssues is how many causes are left out, and MoreRows how many rows.
	MoreIssues, MoreRows int

	Columns []string
	Rows    [][]string
	// Types are the types that were measured, and MoreTypes how many are left out.
	Types     []measuredType
	MoreTypes int

	Gaps       []string
	OpenCauses string
	Policy     string
	Style      template.CSS
	Script     template.JS
}

type fact struct {
	Name  string
	Lines []string
}

func newPage(r Report) (page, error) {
	style, err := pageFiles.ReadFile("page/style.css")
	if err != nil {
		return page{}, err
	}
	script, err := pageFiles.ReadFile("page/copy.js")
	if err != nil {
		return page{}, err
	}
	p := page{
		Title: r.title(), Answer: r.Headline, Issues: r.Issues[:min(maxPageIssues, len(r.Issues))], Gaps: GapLines(r.Gaps),
		Policy: fmt.Sprintf("default-src 'none'; base-uri 'none'; form-action 'none'; style-src '%s'; script-src '%s'", contentHash(style), contentHash(script)),
		Style:  template.CSS(style), Script: template.JS(script), //nolint:gosec // both are files of this package
	}
	p.Types = measuredTypes(r.Types[:min(maxPageRows, len(r.Types))])
	p.MoreTypes = len(r.Types) - len(p.Types)
	p.MoreIssues = len(r.Issues) - len(p.Issues)
	if !r.Now.IsZero() {
		p.Read = timestamp(r.Now)
	}
	if len(r.Diagnoses) == 1 {
		p.explain(r.Diagnoses[0], r.Now)
	} else {
		p.table(r.Table)
	}
	if len(r.Diagnoses) > 0 {
		p.OpenCauses = strings.Join(openCauseIDs(&stuck.Diagnosis{WaitsFor: r.Diagnoses}), ", ")
		if g := newGraph(r.Diagnoses); len(g.nodes) > maxGraphNodes {
			p.TooMany = len(g.nodes)
		} else {
			drawn := draw(g, p.Issues)
			p.Graph = &drawn
		}
	}
	return p, nil
}

// contentHash is how a policy names a script or a style
// (https://www.w3.org/TR/CSP3/#grammardef-hash-source).
func contentHash(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// explain fills in what is known of one object.
func (p *page) explain(d *stuck.Diagnosis, now time.Time) {
	o := d.Object
	if !o.NeedsVerdict() {
		p.Answer = notDeletedText(stuck.Group{d})
		return
	}
	p.Answer, _ = answerText(d, causeBlocks(d), now)
	p.Facts = []fact{{"Verdict", []string{string(d.Verdict)}}}
	if o.Deleting() {
		writer := textWriter{now: now}
		p.Facts = append(p.Facts, fact{"Deleted at", []string{timestamp(deletionRequested(o)) + " (" + writer.sinceDeletion(o) + ")"}})
	}
	if lines := finalizerTexts(d); len(lines) > 0 {
		p.Facts = append(p.Facts, fact{"Finalizers", lines})
	}
}

// table fills in what the command prints without -o.
func (p *page) table(t *metav1.Table) {
	if t == nil {
		return
	}
	for _, column := range t.ColumnDefinitions {
		if column.Priority == 0 {
			p.Columns = append(p.Columns, column.Name)
		}
	}
	for n, row := range t.Rows {
		if n == maxPageRows {
			p.MoreRows = len(t.Rows) - n
			return
		}
		var cells []string
		for i, column := range t.ColumnDefinitions {
			if column.Priority == 0 {
				cells = append(cells, fmt.Sprint(row.Cells[i]))
			}
		}
		p.Rows = append(p.Rows, cells)
	}
}
