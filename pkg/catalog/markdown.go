package catalog

import (
	"bytes"
	"fmt"
	"strings"
)

// Page is a generated page of documentation.
type Page struct {
	// Name is its path below docs.
	Name    string
	Content []byte
}

// Pages are the whole catalog as Markdown: an index of every name, and for each area a page with an anchor for each
// of its entries.
func (c *Catalog) Pages() []Page {
	first := &page{}
	pages := []Page{{Name: "finalizers.md"}}
	areas := c.areas()
	first.writeHeader(areas)
	for _, entries := range areas {
		area := entries[0].Area
		first.line("\n## %s", areaTitle(area))
		first.writeNames(entries)
		pages = append(pages, Page{Name: "finalizers/" + area + ".md", Content: areaPage(entries)})
	}
	pages[0].Content = first.Bytes()
	return pages
}

// areas parts all entries by their area.
func (c *Catalog) areas() [][]Entry {
	var areas [][]Entry
	for _, entry := range c.Entries() {
		last := len(areas) - 1
		if last < 0 || areas[last][0].Area != entry.Area {
			areas = append(areas, []Entry{entry})
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
func (p *page) writeHeader(areas [][]Entry) {
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
func countProjects(entries []Entry) int {
	projects := map[string]bool{}
	for _, entry := range entries {
		projects[entry.Project] = true
	}
	return len(projects)
}

// writeNames lists an area's entries by project, each with the way to its place.
func (p *page) writeNames(entries []Entry) {
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
func areaPage(entries []Entry) []byte {
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

func (p *page) writeEntry(e Entry, anchor string) {
	p.line("<a id=%q></a>\n### `%s`\n", anchor, e.Name())
	p.row("example", code(e.Example))
	p.row("on", typeList(e.Types))
	p.row("removed by", e.Component.describe())
	if e.Role != RoleCleanup {
		p.row("role", string(e.Role))
	}
	p.row("status", string(e.Status))
	p.row("waits for", e.WaitsFor)
	p.row("if forced", e.Leak.Words()+": "+e.LeftBehind)
	for _, step := range e.Resolution {
		p.line("- way out: %s", step.Description)
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

func typeList(types []Type) string {
	var names []string
	for _, t := range types {
		names = append(names, code(string(t)))
	}
	return strings.Join(names, ", ")
}

// describe says in a line what a component is and where it usually runs.
func (c Component) describe() string {
	if len(c.Workloads) == 0 {
		return c.RemovedBy.Text()
	}
	text := strings.Join(c.Workloads, ", ")
	if len(c.Namespaces) > 0 {
		text += " in " + strings.Join(c.Namespaces, " or ")
	}
	return text
}

// String is the source as a person cites it.
func (s Source) String() string {
	text := s.Repository + " " + s.Path
	if s.Ref != "" {
		text += " @ " + s.Ref
	}
	return text
}
