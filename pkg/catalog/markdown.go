package catalog

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Markdown writes the whole catalogue as a page: grouped by area and project, with an anchor for each entry.
func (c *Catalog) Markdown(w io.Writer) error {
	out := &page{Writer: bufio.NewWriter(w)}
	out.head(c)
	anchors := c.anchors()
	area, project := "", ""
	for i, entry := range c.entries {
		if entry.Area != area {
			area, project = entry.Area, ""
			out.line("## %s\n", AreaTitle(area))
		}
		if entry.Project != project {
			project = entry.Project
			out.line("### %s\n", project)
		}
		out.entry(entry, anchors[i])
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the catalogue's page: %w", err)
	}
	return nil
}

// page writes Markdown. Errors stick to the writer and come out when it is flushed.
type page struct{ *bufio.Writer }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

// head writes the title and the table of areas.
func (p *page) head(c *Catalog) {
	entries, projects := map[string]int{}, map[string]map[string]bool{}
	var areas []string
	total := map[string]bool{}
	for _, entry := range c.entries {
		if projects[entry.Area] == nil {
			projects[entry.Area] = map[string]bool{}
			areas = append(areas, entry.Area)
		}
		entries[entry.Area]++
		projects[entry.Area][entry.Project] = true
		total[entry.Project] = true
	}
	p.line("# Known finalizers\n")
	p.line("<!-- generated from pkg/catalog/finalizers; change the files there -->\n")
	p.line("%d finalizers of %d projects. `kubectl finalizers catalog NAME` explains one at the terminal.\n",
		len(c.entries), len(total))
	p.line("| area | finalizers | projects |\n|---|---|---|")
	for _, area := range areas {
		p.line("| [%s](#%s) | %d | %d |", AreaTitle(area), heading(AreaTitle(area)), entries[area], len(projects[area]))
	}
	p.line("")
}

func (p *page) entry(e Entry, anchor string) {
	p.line("<a id=%q></a>\n#### `%s`\n", anchor, e.Title())
	p.row("example", code(e.Example))
	p.row("on", typeList(e.Types))
	p.row("removed by", e.Component.describe())
	if e.Role != RoleCleanup {
		p.row("role", string(e.Role))
	}
	p.row("status", string(e.Status))
	p.row("waits for", e.WaitsFor)
	p.row("if forced", e.Leak.Words()+": "+e.Leaves)
	for _, step := range e.WayOut {
		p.line("- way out: %s", step.What)
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
		return c.RemovedBy.Words()
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
