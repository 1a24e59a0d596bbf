package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// healthSummary is the first line: the problems and what they block, or that none were
// found, by how many checks, and of what.
func healthSummary(h stuck.Health) string {
	problems, warnings, incomplete := countProblems(h)
	text := "No problems found"
	if h.Interrupted {
		text = "Interrupted; no problems found until then"
	}
	if problems > 0 {
		text = stuck.Count(problems, "problem")
		if h.Interrupted {
			text = "Interrupted; until then " + text
		}
	}
	text += healthScope(h)
	if blocked := h.BlockedObjects(); blocked > 0 {
		text += fmt.Sprintf(", which %s %d of %s", verb(problems, "blocks", "block"), blocked, stuckObjectsText(h, "deletion"))
	} else if h.StuckObjects > 0 {
		text += fmt.Sprintf("; %s %s stuck in Terminating", stuckObjectsText(h, "object"), verb(h.StuckObjects, "is", "are"))
	}
	if warnings > 0 {
		text += "; " + stuck.Count(warnings, "warning")
	}
	if h.Incomplete() {
		text += "; not everything could be read"
		if incomplete > 0 {
			text += fmt.Sprintf(": %s incomplete", stuck.Count(incomplete, "check"))
		}
	}
	if h.AvailableChecks > 0 && !h.Interrupted && (problems == 0 || len(h.Checks) < h.AvailableChecks) {
		text += fmt.Sprintf(". %d of %s ran", len(h.Checks), stuck.Count(h.AvailableChecks, "check"))
	}
	return fmt.Sprintf("%s. Kubernetes %s, checked for %s.", text, h.Version, roundDuration(h.Duration))
}

func countProblems(h stuck.Health) (problems, warnings, incompleteChecks int) {
	for _, c := range h.Checks {
		for _, p := range c.Problems {
			if p.State == stuck.Unhealthy {
				problems++
			} else {
				warnings++
			}
		}
		if c.Incomplete {
			incompleteChecks++
		}
	}
	return problems, warnings, incompleteChecks
}

// healthScope is what the checks were limited to, nothing where they were not.
func healthScope(h stuck.Health) string {
	const most = 5
	switch {
	case len(h.OnlyTypes) > 0:
		return " for " + stuck.JoinFirst(h.OnlyTypes, most) + stuck.InNamespace(h.Namespace)
	case h.Namespace != "":
		return " in namespace " + h.Namespace
	}
	return ""
}

// stuckObjectsText counts the objects that are stuck. There may be more where not
// everything could be read.
func stuckObjectsText(h stuck.Health, noun string) string {
	if h.Incomplete() {
		return "at least " + stuck.Count(h.StuckObjects, noun)
	}
	return stuck.Count(h.StuckObjects, noun)
}

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func roundDuration(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Second)
}

// healthProblems are problems of one kind that one check found, printed together.
type healthProblems struct {
	check    string
	problems []stuck.Problem
	blocks   []stuck.Object
}

// problemsByImpact are the problems of a state, those first that block most deletions.
// A handful of one kind stand alone, more are put together.
func problemsByImpact(h stuck.Health, state stuck.State) []healthProblems {
	var out []healthProblems
	add := func(check string, problems ...stuck.Problem) {
		out = append(out, healthProblems{check: check, problems: problems, blocks: stuck.BlockedBy(problems...)})
	}
	for _, c := range h.Checks {
		found := slices.DeleteFunc(slices.Clone(c.Problems), func(p stuck.Problem) bool { return p.State != state })
		// One reason has several causes: a controller may be scaled to 0, or crash.
		kind := func(p stuck.Problem) string { return strings.Join(append([]string{p.Reason}, p.Causes...), " ") }
		for _, group := range stuck.GroupBy(found, kind) {
			if len(group) > stuck.MaxUngrouped {
				add(c.Name, group...)
				continue
			}
			for _, p := range group {
				add(c.Name, p)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b healthProblems) int { return len(b.blocks) - len(a.blocks) })
	return out
}

// blockedText names objects, those of one type and namespace together.
func blockedText(objects []stuck.Object) string {
	const most = 10
	var parts []string
	for _, group := range stuck.GroupBy(objects, stuck.Object.TypeInNamespace) {
		text := fmt.Sprintf("%d %s", len(group), group[0].TypeInNamespace())
		switch {
		case len(group) == 1:
			text = group[0].RefInNamespace()
		case len(group) <= stuck.MaxUngrouped:
			var names []string
			for _, o := range group {
				names = append(names, o.Name)
			}
			text += " (" + strings.Join(names, ", ") + ")"
		}
		parts = append(parts, text)
	}
	return stuck.JoinFirst(parts, most)
}

// subjectNames names the subjects of many problems.
func subjectNames(all []stuck.Problem) string {
	const most = 20
	var names []string
	for _, p := range all {
		name := p.Subject.String()
		if p.Subject.Kind == "type" {
			name = p.Subject.Name
		}
		names = append(names, name)
	}
	return stuck.JoinFirst(names, most)
}
