package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// maxFinalizers is how many finalizers a text names before the rest is only counted: an object may have thousands.
const maxFinalizers = 10

// finalizerList names finalizers, or the first of many and how many more there are.
func finalizerList(names []string, separator string) string {
	if len(names) <= maxFinalizers {
		return strings.Join(names, separator)
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNames], separator), len(names)-maxNames)
}

// foldKey is equal for findings of one object that say the same but for the name of their finalizer.
type foldKey struct {
	findingKey
	blockedBy stuck.Culprit
	cost      stuck.Cost
	steps     string
}

// foldedFindings are the findings of an object. Many that say the same but for the name of their finalizer are one, which
// names the first of them.
func foldedFindings(d *stuck.Diagnosis) []stuck.Finding {
	if len(d.Findings) <= stuck.MaxUngrouped {
		return d.Findings
	}
	const name = "\x00" // of the finalizer
	var out []stuck.Finding
	for _, same := range stuck.GroupBy(d.Findings, func(f stuck.Finding) foldKey {
		key := foldKey{findingKey: keyOf(f), blockedBy: f.BlockedBy, cost: f.OnForce}
		if len(f.Explains) != 1 {
			return key
		}
		var steps []string
		for _, s := range f.Steps {
			steps = append(steps, replaceName(s.Description, f.Explains[0], name))
		}
		key.message, key.steps = replaceName(f.Message, f.Explains[0], name), stuck.ListKey(steps)
		key.cost.Description = replaceName(f.OnForce.Description, f.Explains[0], name)
		return key
	}) {
		if len(same) <= stuck.MaxUngrouped || slices.ContainsFunc(same, func(f stuck.Finding) bool { return len(f.Explains) != 1 || len(f.WaitsFor) > 0 }) {
			out = append(out, same...)
			continue
		}
		out = append(out, foldFindings(same))
	}
	return out
}

// foldFindings is the first of some findings, with the names of all finalizers in the place of its own.
func foldFindings(same []stuck.Finding) stuck.Finding {
	out, first := same[0], same[0].Explains[0]
	out.Explains = nil
	for _, f := range same {
		out.Explains = append(out.Explains, f.Explains...)
	}
	names := stuck.JoinFirst(out.Explains, maxNames)
	ofAll := func(text string) string { return replaceName(text, first, names) }
	out.Message, out.OnForce.Description = ofAll(out.Message), ofAll(out.OnForce.Description)
	out.Evidence, out.Steps = slices.Clone(out.Evidence), slices.Clone(out.Steps)
	for i, line := range out.Evidence {
		out.Evidence[i] = ofAll(line)
	}
	for i, step := range out.Steps {
		out.Steps[i].Description = ofAll(step.Description)
	}
	return out
}

// replaceName replaces a name in a text, and not what merely has it as a part.
func replaceName(text, name, with string) string {
	if name == "" {
		return text
	}
	isPart := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_/", r) }
	var out strings.Builder
	for before := rune(' '); ; {
		i := strings.Index(text, name)
		if i < 0 {
			out.WriteString(text)
			return out.String()
		}
		if i > 0 {
			before, _ = utf8.DecodeLastRuneInString(text[:i])
		}
		rest := text[i+len(name):]
		after, size := utf8.DecodeRuneInString(rest)
		if after == '.' { // a name goes on behind it, and a sentence does not
			after, _ = utf8.DecodeRuneInString(rest[size:])
		}
		out.WriteString(text[:i])
		if isPart(before) || before == '.' || isPart(after) {
			out.WriteString(name)
		} else {
			out.WriteString(with)
		}
		before, _ = utf8.DecodeLastRuneInString(name)
		text = rest
	}
}
