package report

import (
	"fmt"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
)

// typesText are types in a sentence.
func typesText(types []catalog.Type) string {
	words := make([]string, 0, len(types))
	for _, t := range types {
		group, all := strings.CutPrefix(string(t), "*.")
		domain, below := strings.CutPrefix(group, "*.")
		switch {
		case t == "*":
			words = append(words, "any type")
		case all && below:
			words = append(words, "any type of a group under "+domain)
		case all:
			words = append(words, "any type of "+group)
		default:
			words = append(words, string(t))
		}
	}
	return strings.Join(words, ", ")
}

// roleText says what a finalizer is for, where it is not for cleanup.
func roleText(r catalog.Role) string {
	switch r {
	case catalog.RoleGuard:
		return "guard: keeps the object until nothing uses it"
	case catalog.RoleKeep:
		return "keep: only a person removes it, on purpose"
	case catalog.RoleOption:
		return "option: a user set it so that more is deleted; without it, that is kept"
	case catalog.RoleIntent:
		return "intent: removing it reverses what the deletion was asked to do"
	case catalog.RoleCredentials:
		return "credentials: other deletions need this object, and hang without it"
	case catalog.RoleMarker:
		return "marker: of a framework, or used by many programs"
	}
	return ""
}

func statusText(s catalog.Status) string {
	switch s {
	case catalog.StatusDeprecated:
		return "deprecated: current releases remove it, but no longer set it"
	case catalog.StatusRetired:
		return "retired: the software, or that part of it, is no longer developed"
	case catalog.StatusUnused:
		return "unused: declared in the source, but nothing was found that sets it"
	}
	return ""
}

// ObsoleteText says since when a finalizer is not removed any more, and what became of its work.
func ObsoleteText(o *catalog.Obsolete) string {
	if o == nil {
		return ""
	}
	text := "releases from " + o.Since + " do not remove it"
	if o.Successor != "" {
		text += "; its successor is " + o.Successor
	}
	return text + ": " + o.Text
}

// factIndent is how far facts are indented behind their names.
const factIndent = 12

// fact writes a fact, if there is one, behind its name.
func (p *textWriter) fact(indent, name, text string) {
	if text != "" {
		p.wrapped(len(indent)+factIndent, "%s%-*s%s", indent, factIndent, name, text)
	}
}

// wrapped writes a sentence in lines that fit, of which all but the first are indented.
func (p *textWriter) wrapped(indent int, format string, args ...any) {
	p.text.WriteString(wrapProse("", indent, strings.TrimRight(fmt.Sprintf(format, args...), " "), proseWidth(p.width)))
}
