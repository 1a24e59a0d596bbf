package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// CatalogText explains one finalizer to a person: whose it is, what it waits
// for and what force would cost, the way out, how to find what removes it, and
// how all this is known.
func CatalogText(out io.Writer, m catalog.Match, typeName string) error {
	p := &textWriter{}
	m.Entries = fillCommands(m, typeName)
	switch len(m.Entries) {
	case 0:
		p.convention(m, typeName)
	case 1:
		p.entry(m, typeName)
	default:
		p.severalRemovers(m, typeName)
	}
	_, err := io.WriteString(out, p.text.String())
	return err
}

// entry explains a finalizer that one thing removes.
func (p *textWriter) entry(m catalog.Match, typeName string) {
	e := m.Entries[0]
	p.line("%s%s", headline(m), otherTypeNote(m, typeName))
	p.facts("  ", e, "on", typesText(e.Types))
	var steps []string
	for _, step := range e.Resolution {
		steps = append(steps, step.Description)
		if step.Command != "" {
			steps = append(steps, "  "+step.Command)
		}
	}
	p.section("Do this first", steps)
	p.section("How to find what removes it", findCommands(e.Component))
	p.section("How this is known", append(matchEvidence(m), sources(e)...))
}

// headline says whose a finalizer is.
func headline(m catalog.Match) string {
	e := m.Entries[0]
	if e.Role != catalog.RoleMarker {
		return fmt.Sprintf("%s belongs to %s", m.Finalizer, e.Project)
	}
	belongsTo := "the type that carries it says whose it is"
	if m.BelongsTo != "" {
		belongsTo += ", here API group " + m.BelongsTo
	}
	return fmt.Sprintf("%s is a marker of %s: %s", m.Finalizer, e.Project, belongsTo)
}

// otherTypeNote is a warning that the name is known, and its use on this type is
// not.
func otherTypeNote(m catalog.Match, typeName string) string {
	if !m.OtherType {
		return ""
	}
	return "; that it is used on " + typeName + " is not known"
}

// facts are the short answers, what matters most first.
func (p *textWriter) facts(indent string, e catalog.Entry, more ...string) {
	cost := e.Leak.Words()
	if e.LeftBehind != cost {
		cost += ": " + e.LeftBehind
	}
	removedBy := removedByText(e.Component)
	if len(e.Component.Namespaces) > 0 && len(e.Component.Workloads) > 0 {
		removedBy += ", usually in namespace " + strings.Join(e.Component.Namespaces, " or ")
	}
	facts := append([]string{"waits for", e.WaitsFor, "if forced", cost, "role", roleText(e.Role)}, more...)
	facts = append(facts, "removed by", removedBy, "status", statusText(e.Status), "note", e.Note)
	for i := 0; i < len(facts); i += 2 {
		if facts[i+1] != "" {
			p.line("%s%-12s %s", indent, facts[i], facts[i+1])
		}
	}
}

// severalRemovers explains a finalizer that several things remove.
func (p *textWriter) severalRemovers(m catalog.Match, typeName string) {
	p.line("%s has %d removers: the type that carries it tells which%s", m.Finalizer, len(m.Entries), otherTypeNote(m, typeName))
	example := "Kind.group"
	for _, e := range m.Entries {
		p.blankLine()
		p.line("  on %s: %s", typesText(e.Types), e.Project)
		p.facts("    ", e)
		if first := string(e.Types[0]); !strings.Contains(first, "*") && example == "Kind.group" {
			example = first
		}
	}
	p.section("Do this first", []string{
		"name the type of the object that carries it, and read the way out",
		"  " + stuck.Shellf("kubectl finalizers catalog %s --type %s", m.Finalizer, example),
	})
	p.section("How this is known", matchEvidence(m))
}

// typesText are types in a sentence's words.
func typesText(types []catalog.Type) string {
	words := make([]string, 0, len(types))
	for _, t := range types {
		group, all := strings.CutPrefix(string(t), "*.")
		domain, childIndent := strings.CutPrefix(group, "*.")
		switch {
		case t == "*":
			words = append(words, "any type")
		case all && childIndent:
			words = append(words, "any type of a group under "+domain)
		case all:
			words = append(words, "any type of "+group)
		default:
			words = append(words, string(t))
		}
	}
	return strings.Join(words, ", ")
}

// convention explains a finalizer that is not listed.
func (p *textWriter) convention(m catalog.Match, typeName string) {
	p.line("%s is not listed; by its name it seems to belong to API group %s", m.Finalizer, m.BelongsTo)
	p.line("  %-12s not known", "waits for")
	p.line("  %-12s not known: whatever its controller would have cleaned up", "if forced")
	p.section("Do this first", []string{
		"see who handles it in the cluster, and whether that runs",
		"  " + stuck.Shellf("kubectl finalizers explain %s/<name> -n <namespace>", strings.ToLower(typeName)),
	})
	p.section("How this is known", matchEvidence(m))
}

// matchEvidence says how sure it is that the finalizer is what it is said to be.
func matchEvidence(m catalog.Match) []string {
	var lines []string
	switch m.How {
	case catalog.Exact:
		lines = append(lines, "exactly: this name is listed")
	case catalog.ByPattern:
		lines = append(lines, "by pattern: "+strings.Join(CatalogNames(m.Entries), ", "))
	case catalog.ByConvention:
		lines = append(lines, fmt.Sprintf("by convention only (%s): %s", m.Convention, m.Reason))
	}
	if m.OtherType {
		lines = append(lines, "the type that was asked for is not among those that are known to carry it")
	}
	return lines
}

func sources(e catalog.Entry) []string {
	lines := make([]string, 0, len(e.Source))
	for _, source := range e.Source {
		lines = append(lines, "source: "+source.String())
	}
	return lines
}

// findCommands are commands that find a component, in whichever namespace it
// runs.
func findCommands(c catalog.Component) []string {
	var lines []string
	for _, workload := range c.Workloads {
		kind, name, _ := strings.Cut(workload, "/")
		lines = append(lines, stuck.Command("", "get", kind, "-A", "--field-selector", "metadata.name="+name))
	}
	if len(c.Labels) > 0 {
		lines = append(lines, stuck.Command("", "get", "pods", "-A", "-l", strings.Join(c.Labels, ",")))
	}
	switch c.RemovedBy {
	case catalog.RemovedByControllerManager, catalog.RemovedByScheduler:
		lines = append(lines, stuck.Command("kube-system", "get", "lease", string(c.RemovedBy)))
	case catalog.RemovedByKubelet:
		lines = append(lines, stuck.Command("", "get", "nodes"))
	}
	if len(c.Containers) > 0 {
		lines = append(lines, "its container is called "+strings.Join(c.Containers, " or "))
	}
	if len(c.Managers) > 0 {
		lines = append(lines, "it writes as field manager "+strings.Join(c.Managers, " or "))
	}
	return lines
}

// roleText say what a finalizer is for, where it is no clean-up.
func roleText(r catalog.Role) string {
	switch r {
	case catalog.RoleGuard:
		return "a guard: it holds the object until nothing uses it any more"
	case catalog.RoleKeep:
		return "meant to stay: only a person takes it off, on purpose"
	case catalog.RoleOption:
		return "an option: a user put it there to have more deleted; without it, that is kept"
	case catalog.RoleIntent:
		return "a flag: to remove it reverses what the deletion was asked to do"
	case catalog.RoleCredentials:
		return "holds credentials: without them other deletions hang"
	case catalog.RoleMarker:
		return "a marker: it belongs to a framework, or to many programs"
	}
	return ""
}

func statusText(s catalog.Status) string {
	switch s {
	case catalog.StatusDeprecated:
		return "deprecated: current releases still remove it, and no longer set it"
	case catalog.StatusRetired:
		return "retired: the software, or that part of it, is no longer made"
	case catalog.StatusUnused:
		return "unused: declared in the source, where nothing was found that sets it"
	}
	return ""
}
