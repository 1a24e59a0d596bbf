package report

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// factsWidth is the width of the names of the facts, with the blanks behind them.
const factsWidth = 13

// objectFacts writes what a person would look up of the object: since when it is being deleted,
// which finalizers it has, and the conditions of a Namespace.
func (p *textWriter) objectFacts(s Screen) {
	o := s.Root.Object
	name := func(text string) string { return padRight(text, factsWidth) }
	p.prose(name("Verdict"), 0, string(s.Root.Verdict))
	deleted := "not deleted: it has no deletionTimestamp"
	if o.Deleting() {
		deleted = deletionRequested(o).UTC().Format(time.DateTime) + " UTC (" + p.sinceDeletion(o) + ")"
	}
	p.prose(name("Deleted at"), 0, deleted)
	finalizers := finalizerTexts(s.Root)
	if len(finalizers) == 0 {
		finalizers = []string{"none"}
	}
	for i, text := range finalizers {
		label := ""
		if i == 0 {
			label = "Finalizers"
		}
		p.prose(name(label), 0, text)
	}
	var conditions []string
	for _, c := range s.Conditions {
		if c.Status == metav1.ConditionTrue {
			conditions = append(conditions, c.Type+"=True")
		}
	}
	if len(conditions) > 0 {
		p.prose(name("Conditions"), 0, strings.Join(conditions, ", "))
	}
}

// deletionRequested is when the deletion of an object was requested. Its deletionTimestamp is the end of its grace period
// (BeforeDelete in k8s.io/apiserver/pkg/registry/rest/delete.go).
func deletionRequested(o stuck.Object) time.Time {
	if o.DeletionGracePeriodSeconds == nil {
		return o.DeletionTime
	}
	return o.DeletionTime.Add(-time.Duration(*o.DeletionGracePeriodSeconds) * time.Second)
}

// sinceDeletion is how long ago the deletionTimestamp is. That of a Pod is the end of its
// grace period.
func (p *textWriter) sinceDeletion(o stuck.Object) string {
	switch ago := duration.HumanDuration(o.StuckDuration(p.now)) + " ago"; {
	case !o.IsStuck(p.now):
		return graceEnd(o) + ", " + duration.HumanDuration(o.DeletionTime.Sub(p.now)) + " left"
	case o.Is(corev1.GroupName, "Pod"):
		return "the grace period ended " + ago
	default:
		return ago
	}
}

// graceEnd says until when the grace period of an object lasts.
func graceEnd(o stuck.Object) string {
	return "within its grace period until " + o.DeletionTime.UTC().Format(time.DateTime) + " UTC"
}

// finalizerTexts are the finalizers of an object, each with what removes it, and after what,
// as far as that is known. Of many only the first are named.
func finalizerTexts(d *stuck.Diagnosis) []string {
	var out []string
	all := d.Object.AllFinalizers()
	for i, name := range all {
		if i == maxFinalizers && len(all) > i+1 {
			return append(out, fmt.Sprintf("and %d more (-o json has all)", len(all)-i))
		}
		var about []string
		if i < len(d.Object.SpecFinalizers) {
			about = append(about, "spec.finalizers")
		}
		remover := removerText(d, name)
		if known := d.Known[name]; known.WaitsFor != "" {
			remover += ": " + known.WaitsFor
		}
		about = append(about, remover)
		out = append(out, fmt.Sprintf("%s (%s)", name, strings.Join(about, "; ")))
	}
	return out
}

// removerText says what removes a finalizer: the workload that was found, or else what the
// catalog says.
func removerText(d *stuck.Diagnosis, finalizer string) string {
	workloads := possibleWorkloads(controllersOf(d, finalizer))
	switch {
	case len(workloads) > 0 && workloads[0].Certainty == stuck.Confirmed:
		return "removed by " + workloads[0].Workload.String()
	case len(workloads) > 0:
		return "probably removed by " + workloadsText(workloads)
	case d.Known[finalizer].RemovedBy != "":
		return d.Known[finalizer].RemovedBy
	}
	return "its controller is not known"
}
