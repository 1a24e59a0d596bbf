package sweep

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Describe says what a sweep of some types selects: two sweeps with one description select the same.
func (s Selector) Describe(swept []stuck.Type) string {
	var names []string
	isNamespaced := false
	for _, t := range swept {
		names, isNamespaced = append(names, t.String()), isNamespaced || t.Namespaced
	}
	slices.Sort(names)
	text := strings.Join(slices.Compact(names), ",")
	if isNamespaced && s.Namespace != "" {
		text += " -n " + s.Namespace
	}
	if parsed, err := labels.Parse(s.Labels); err == nil && !parsed.Empty() {
		text += " -l " + parsed.String() // in an order of its own
	}
	if s.OlderThan > 0 {
		text += " --older-than=" + s.OlderThan.String()
	}
	if s.NeedsAnnotation {
		text += " --ttl-annotation=" + strings.Join(slices.Sorted(slices.Values(s.Annotations)), ",")
	}
	return text
}

// SelectsByAbsence reports whether the label selector demands no label, only that some are absent or have other values.
// Then it selects nearly everything.
func (s Selector) SelectsByAbsence() bool {
	parsed, err := labels.Parse(s.Labels)
	if err != nil || parsed.Empty() {
		return false
	}
	requirements, _ := parsed.Requirements()
	return !slices.ContainsFunc(requirements, func(r labels.Requirement) bool {
		return r.Operator() != selection.DoesNotExist && r.Operator() != selection.NotIn && r.Operator() != selection.NotEquals
	})
}
