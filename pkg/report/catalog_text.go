package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// CatalogText explains one finalizer to a person: what it is, what removes it and after what, what force leaves behind,
// the steps, how to find its controller, and how this is known.
func CatalogText(out io.Writer, m catalog.Match, typeName string) error {
	p := &textWriter{}
	m.Entries = fillCommands(m, typeName)
	switch len(m.Entries) {
	case 0:
		p.convention(m, typeName)
	case 1:
		p.entry(m, typeName)
	default:
		p.severalControllers(m, typeName)
	}
	_, err := io.WriteString(out, p.text.String())
	return err
}

// entry explains a finalizer that one controller removes.
func (p *textWriter) entry(m catalog.Match, typeName string) {
	e := m.Entries[0]
	p.wrapped(0, "%s.%s", headline(m), otherTypeNote(m, typeName))
	p.blankLine()
	p.entryFacts("", e, typesText(e.Types))
	p.catalogSteps(slices.Concat(e.Resolution, DependencySteps(e)))
	p.section("Find its controller", findCommands(e.Component))
	p.knownBy(m, e.Source)
}

// headline says what a finalizer is.
func headline(m catalog.Match) string {
	e := m.Entries[0]
	if e.Role != catalog.RoleMarker {
		return fmt.Sprintf("%s is a finalizer of %s", m.Finalizer, e.Project)
	}
	group := ""
	if m.BelongsTo != "" {
		group = ", API group " + m.BelongsTo
	}
	return fmt.Sprintf("%s is a marker of %s: its controller is that of the object's type%s", m.Finalizer, e.Project, group)
}

// otherTypeNote is a warning that the name is known, and its use on this type is not.
func otherTypeNote(m catalog.Match, typeName string) string {
	if !m.OtherType {
		return ""
	}
	return fmt.Sprintf(" It is not known on %s: the rest may be wrong there.", typeName)
}

// entryFacts are the short answers, what matters most first.
func (p *textWriter) entryFacts(indent string, e catalog.Entry, types string) {
	forced := map[stuck.Leak]string{
		stuck.LeakNothing: "nothing lasting is left behind", stuck.LeakObjects: "cluster objects are left behind",
		stuck.LeakExternal: "external resources are left behind", stuck.LeakData: "data is lost or left behind",
		stuck.LeakUnknown: "what is left behind is not known",
	}[e.Leak]
	if e.LeftBehind != e.Leak.Words() {
		forced += ": " + e.LeftBehind
	}
	p.fact(indent, "Removed by", removedByText(e.Component))
	p.fact(indent, "Runs in", usualNamespaces(e.Component))
	if e.Component.Hosted != nil {
		p.fact(indent, "Runs", e.Component.Hosted.Where)
	}
	p.fact(indent, "Does first", e.WaitsFor)
	p.fact(indent, "If forced", forced)
	p.fact(indent, "Set on", types)
	for _, f := range DependencyFacts(e) {
		p.fact(indent, f.Name, f.Text)
	}
	p.fact(indent, "Role", roleText(e.Role))
	p.fact(indent, "Status", statusText(e.Status))
	p.fact(indent, "Obsolete", ObsoleteText(e.Obsolete))
	p.fact(indent, "Note", e.Note)
}

// usualNamespaces says where the workloads of a component usually run.
func usualNamespaces(c catalog.Component) string {
	if len(c.Workloads) == 0 || len(c.Namespaces) == 0 {
		return ""
	}
	return "namespace " + strings.Join(c.Namespaces, " or ") + ", usually"
}

// severalControllers explains a finalizer that several controllers remove, or one in several ways.
func (p *textWriter) severalControllers(m catalog.Match, typeName string) {
	controllers := map[string]bool{}
	for _, e := range m.Entries {
		controllers[e.Project+"/"+e.Component.Name] = true
	}
	which := fmt.Sprintf("%d controllers: the object's type tells which.", len(controllers))
	if len(controllers) == 1 {
		which = m.Entries[0].Project + ": what its controller does first depends on the object's type."
	}
	p.wrapped(0, "%s is a finalizer of %s%s", m.Finalizer, which, otherTypeNote(m, typeName))
	example := "Kind.group"
	for _, e := range m.Entries {
		p.blankLine()
		p.wrapped(2, "on %s: %s", typesText(e.Types), e.Project)
		p.entryFacts("  ", e, "")
		if first := string(e.Types[0]); !strings.Contains(first, "*") && example == "Kind.group" {
			example = first
		}
	}
	p.catalogSteps([]stuck.Step{{
		Action: stuck.ActionCheck, Description: "read the steps for the type of the object",
		Command: stuck.Shellf("kubectl finalizers catalog %s --type %s", m.Finalizer, example),
	}})
	p.knownBy(m, nil)
}

// convention explains a finalizer that is not in the catalog.
func (p *textWriter) convention(m catalog.Match, typeName string) {
	p.wrapped(0, "%s is not in the catalog; its name points to API group %s.", m.Finalizer, m.BelongsTo)
	p.blankLine()
	p.fact("", "Removed by", "probably the controller of "+m.BelongsTo)
	p.fact("", "Does first", "not known")
	p.fact("", "If forced", "not known: the cleanup by its controller is skipped")
	p.catalogSteps([]stuck.Step{{
		Action: stuck.ActionCheck, Description: "find its controller in the cluster, and whether it is running",
		Command: stuck.Shellf("kubectl finalizers explain %s/<name> -n <namespace>", strings.ToLower(typeName)),
	}})
	p.knownBy(m, nil)
}

// knownBy says how sure it is that the finalizer is what it is said to be, and where that was read.
func (p *textWriter) knownBy(m catalog.Match, sources []catalog.Source) {
	p.blankLine()
	switch m.How {
	case catalog.Exact:
		p.fact("", "Known by", "its exact name")
	case catalog.ByPattern:
		p.fact("", "Known by", "pattern "+strings.Join(CatalogNames(m.Entries), ", "))
	case catalog.ByConvention:
		p.fact("", "Known by", fmt.Sprintf("convention only (%s): %s", m.Convention, m.Reason))
	}
	for _, source := range sources {
		p.fact("", "Source", source.String())
	}
}

// catalogSteps are the steps, the best first. Commands are never wrapped.
func (p *textWriter) catalogSteps(steps []stuck.Step) {
	if len(steps) == 0 {
		return
	}
	p.blankLine()
	p.line("Steps")
	for i, s := range steps {
		p.wrapped(5, "  %c) %s: %s", 'a'+rune(i), s.Action, s.Description)
		if s.Command != "" {
			p.line("  %s", s.Command)
		}
	}
}

// findCommands are commands that find a component, in whichever namespace it runs.
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
	var names []string
	if len(c.Containers) > 0 {
		names = append(names, "container "+strings.Join(c.Containers, " or "))
	}
	if len(c.Managers) > 0 {
		names = append(names, "field manager "+strings.Join(c.Managers, " or "))
	}
	if len(names) > 0 {
		lines = append(lines, strings.Join(names, "; "))
	}
	return lines
}
