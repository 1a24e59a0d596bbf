package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
)

// document is a generated page of documentation.
type document struct {
	// name is its path below docs.
	name    string
	content []byte
}

// catalogDocuments are the whole catalog as Markdown: an index of every name, and for each area a page with an anchor for
// each of its entries.
func catalogDocuments(known *catalog.Catalog) []document {
	first := &page{}
	pages := []document{{name: "finalizers.md"}}
	areas := areasOf(known)
	first.writeHeader(areas)
	for _, entries := range areas {
		area := entries[0].Area
		first.line("\n## %s", areaTitle(area))
		first.writeNames(entries)
		pages = append(pages, document{name: "finalizers/" + area + ".md", content: areaPage(entries)})
	}
	pages[0].content = first.Bytes()
	return pages
}

// areasOf groups all entries by their area.
func areasOf(known *catalog.Catalog) [][]catalog.Entry {
	var areas [][]catalog.Entry
	for _, entry := range known.Entries() {
		last := len(areas) - 1
		if last < 0 || areas[last][0].Area != entry.Area {
			areas = append(areas, []catalog.Entry{entry})
			continue
		}
		areas[last] = append(areas[last], entry)
	}
	return areas
}

// page is Markdown in the making.
type page struct{ bytes.Buffer }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

const generated = "<!-- generated from pkg/catalog/finalizers; change the files there -->\n"

// writeHeader writes the title of the index and the table of areas.
func (p *page) writeHeader(areas [][]catalog.Entry) {
	p.line("# Known finalizers\n")
	p.line(generated)
	entries, projects := 0, 0
	for _, area := range areas {
		entries, projects = entries+len(area), projects+countProjects(area)
	}
	p.line("%d finalizers of %d projects. `kubectl finalizers catalog NAME` explains one at the terminal.\n", entries, projects)
	p.line("| area | finalizers | projects |\n|---|---|---|")
	for _, area := range areas {
		p.line("| [%s](finalizers/%s.md) | %d | %d |", areaTitle(area[0].Area), area[0].Area, len(area), countProjects(area))
	}
}

// countProjects counts the projects of an area; a project has one area alone.
func countProjects(entries []catalog.Entry) int {
	projects := map[string]bool{}
	for _, entry := range entries {
		projects[entry.Project] = true
	}
	return len(projects)
}

// writeNames lists an area's entries by project, each with the way to its place.
func (p *page) writeNames(entries []catalog.Entry) {
	anchors := anchors(entries)
	project := ""
	for i, entry := range entries {
		if entry.Project != project {
			project = entry.Project
			p.line("\n%s\n", project)
		}
		p.line("- [`%s`](finalizers/%s.md#%s)", entry.Name(), entry.Area, anchors[i])
	}
}

// areaPage is the page of one area.
func areaPage(entries []catalog.Entry) []byte {
	p := &page{}
	p.line("# Known finalizers: %s\n", areaTitle(entries[0].Area))
	p.line(generated)
	p.line("[All areas](../finalizers.md)\n")
	anchors := anchors(entries)
	project := ""
	for i, entry := range entries {
		if entry.Project != project {
			project = entry.Project
			p.line("## %s\n", project)
		}
		p.writeEntry(entry, anchors[i])
	}
	return bytes.TrimSuffix(p.Bytes(), []byte("\n"))
}

func (p *page) writeEntry(e catalog.Entry, anchor string) {
	p.line("<a id=%q></a>\n### `%s`\n", anchor, e.Name())
	p.row("example", code(e.Example))
	p.row("on", typeList(e.Types))
	p.row("removed by", componentText(e.Component))
	if e.Role != catalog.RoleCleanup {
		p.row("role", string(e.Role))
	}
	p.row("status", string(e.Status))
	p.row("waits for", e.WaitsFor)
	p.row("if forced", e.Leak.Words()+": "+e.LeftBehind)
	for _, fact := range report.DependencyFacts(e) {
		p.row(strings.ToLower(fact.Name), fact.Text)
	}
	p.row("obsolete", report.ObsoleteText(e.Obsolete))
	if e.Component.Hosted != nil {
		p.row("runs", e.Component.Hosted.Where)
	}
	for _, step := range slices.Concat(e.Resolution, report.DependencySteps(e)) {
		p.line("- %s: %s", step.Action, step.Description)
		if step.Command != "" {
			p.line("  ```\n  %s\n  ```", step.Command)
		}
	}
	p.row("note", e.Note)
	for _, source := range e.Source {
		p.row("source", source.String())
	}
	p.line("")
}

// row writes one fact, if there is one.
func (p *page) row(name, text string) {
	if text != "" {
		p.line("- %s: %s", name, text)
	}
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

func typeList(types []catalog.Type) string {
	var names []string
	for _, t := range types {
		names = append(names, code(string(t)))
	}
	return strings.Join(names, ", ")
}

// componentText says in a line what a component is and where it usually runs.
func componentText(c catalog.Component) string {
	if len(c.Workloads) == 0 {
		return c.RemovedBy.Text()
	}
	text := strings.Join(c.Workloads, ", ")
	if len(c.Namespaces) > 0 {
		text += " in " + strings.Join(c.Namespaces, " or ")
	}
	return text
}
