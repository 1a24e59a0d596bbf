package report

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// causeText is the id of the first cause, and how many more there are at the ends of all
// chains.
func causeText(d *stuck.Diagnosis) string {
	f, ok := d.PrimaryFinding()
	if !ok || !d.Object.NeedsVerdict() {
		return noValue
	}
	if more := len(rootCausesOf(d)) - 1; more > 0 {
		return fmt.Sprintf("%s +%d", f.Cause, more)
	}
	return f.Cause
}

// blockedByText is what a row says is at fault, or is waited for.
func blockedByText(g stuck.Group, names TypeNames) string {
	var texts []string
	for _, d := range g {
		if text := blockedBy(d, names); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return stuck.JoinFirst(texts, 1)
}

func blockedBy(d *stuck.Diagnosis, names TypeNames) string {
	f, ok := d.PrimaryFinding()
	switch {
	case !d.Object.NeedsVerdict():
		return noValue
	case !ok:
		return orNone(finalizerList(d.Unexplained, ","))
	case f.IsLink():
		return names.countByType(f.WaitsFor, d.Object.Namespace)
	case blamesObject(d.Object, f):
		return orNone(finalizerList(ownFinalizers(d.Object, f), ","))
	}
	return names.culpritFrom(f.BlockedBy, d.Object.Namespace)
}

// blamesObject reports whether a finding names nothing but the object that it is about,
// or one that stands for similar ones: what is to be said of it are its finalizers.
func blamesObject(o stuck.Object, f stuck.Finding) bool {
	self := o.Culprit()
	return f.BlockedBy.Names(o) || len(f.Explains) > 0 && f.BlockedBy.Kind == self.Kind && f.BlockedBy.Namespace == self.Namespace
}

// ownFinalizers are the finalizers that a finding is about. That of every namespace says
// nothing.
func ownFinalizers(o stuck.Object, f stuck.Finding) []string {
	return slices.DeleteFunc(slices.Clone(f.Explains), func(name string) bool {
		return o.IsNamespace() && name == string(corev1.FinalizerKubernetes)
	})
}
