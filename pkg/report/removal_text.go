package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// PlanScreen is a plan with what its reader has to know beside it.
type PlanScreen struct {
	Plan removal.Plan
	// User is the user as the API server knows them.
	User    string
	Targets []*stuck.Diagnosis
	Now     time.Time
	// DryRunAccepted says that the API server has accepted every request as a dry run.
	DryRunAccepted bool
	// BackupDir is where the copies are saved, empty if no folder was made yet.
	BackupDir string
}

// PlanText writes a plan for the one who is to confirm it: where, what, what is refused,
// what is planned, and what the API server said to it. It names every object, or
// the number of similar ones.
func PlanText(out io.Writer, s PlanScreen) {
	w := removalWriter{out}
	user := ""
	if s.User != "" {
		user = ", user " + s.User
	}
	w.fact("Cluster", "%s%s", contextText(s.Plan.Cluster.Context, s.Plan.Cluster.Server), user)
	writeTargets(w, s.Targets, s.Now)
	if len(s.Plan.Refusals) > 0 {
		w.fact("Refused", "nothing is changed, for:")
		writeRefusals(w, s.Plan.Refusals)
	}
	writePlanned(w, s.Plan)
	requests := len(s.Plan.Steps) + len(s.Plan.Events)
	switch {
	case requests == 0 || len(s.Plan.Refusals) > 0:
	case s.DryRunAccepted:
		w.fact("Dry run", "%d of %d accepted by the API server (the requests: -o json)", requests, requests)
	default:
		w.fact("Dry run", "not sent to the API server; --dry-run=server sends it")
	}
	if s.BackupDir != "" {
		w.fact("Copies", "%s", s.BackupDir)
	}
}

// SkippedText writes for which targets of a plan nothing is to be done.
func SkippedText(out io.Writer, p removal.Plan) {
	if len(p.Skipped) > 0 {
		w := removalWriter{out}
		w.prose("Nothing is to be done for:")
		writeRefusals(w, p.Skipped)
	}
}

func writeTargets(w removalWriter, targets []*stuck.Diagnosis, now time.Time) {
	label := "Target"
	for i, d := range targets {
		if i == stuck.MaxUngrouped && len(targets) > i+1 {
			w.fact("", "and %d more", len(targets)-i)
			return
		}
		state := "not being deleted"
		if d.Object.Deleting() {
			state = fmt.Sprintf("stuck for %s, %s", duration.HumanDuration(d.Object.StuckDuration(now)), d.Verdict)
		}
		w.fact(label, "%s, %s", d.Object.RefInNamespace(), state)
		label = ""
	}
}

// writePlanned writes the steps in their order, similar ones together.
func writePlanned(w removalWriter, p removal.Plan) {
	if len(p.Steps) > 0 {
		removals := 0
		for _, s := range p.Steps {
			removals += len(s.SpecFinalizers) + len(s.Finalizers)
		}
		what := fmt.Sprintf("remove %s from %s", stuck.Count(removals, "finalizer"), stuck.Count(len(p.Steps), "object"))
		if len(p.Refusals) > 0 {
			w.fact("Plan", "not carried out: %s", what)
		} else {
			w.fact("Plan", "%s; nothing else is changed", what)
		}
	}
	for _, group := range stuck.GroupBy(p.Steps, stepKeyOf) {
		writeSteps(w, group)
	}
	if len(p.Events) > 0 {
		w.fact("Events", "%s with reason FinalizerRemoved", stuck.Count(len(p.Events), "Event"))
	}
}

// stepKey is what is said of a step, whichever object it is about.
type stepKey struct {
	collection
	finalizers, overrides, costs string
	verdict                      stuck.Verdict
}

func stepKeyOf(s removal.Step) stepKey {
	return stepKey{
		collectionOf(s.Object),
		stuck.ListKey(s.SpecFinalizers, s.Finalizers), stuck.ListKey(s.Overrides), stuck.ListKey(s.Costs), s.Verdict,
	}
}

func writeSteps(w removalWriter, group []removal.Step) {
	var objects []stuck.Object
	for _, s := range group {
		objects = append(objects, s.Object)
	}
	w.subject(subjectText(objects))
	s := group[0]
	if len(s.SpecFinalizers) > 0 {
		w.detail("remove", "%s (spec.finalizers)%s", strings.Join(s.SpecFinalizers, ", "), allowedBy(s, removal.FlagStrandContent))
	}
	if len(s.Finalizers) > 0 {
		w.detail("remove", "%s", strings.Join(s.Finalizers, ", "))
	}
	w.detail("verdict", "%s%s", s.Verdict, allowedBy(s, removal.FlagOverrideVerdict))
	label := "left behind"
	for _, c := range s.Costs {
		w.detail(label, "%s: %s%s", c.Leaves.Words(), c.Description, allowedBy(s, consentFlag(c.Leaves)))
		label = ""
	}
	if s.FinalizesNamespace() {
		w.detail("stranded", "whatever is in the namespace then: it stays in etcd, out of reach until a namespace with its name is created")
		w.detail("condition", "all steps before it succeed, and the namespace controller does not delete it first")
	}
}

// consentFlag is the flag that accepts what is left behind, empty if it takes none.
func consentFlag(leak stuck.Leak) string {
	switch {
	case leak == stuck.LeakData:
		return removal.FlagAcceptDataLoss
	case leak.NeedsConsent():
		return removal.FlagAcceptLeaks
	}
	return ""
}

// allowedBy says that a flag allows a part of a step which is refused without it.
func allowedBy(s removal.Step, flag string) string {
	if !slices.Contains(s.Overrides, flag) {
		return ""
	}
	return " (allowed by " + flag + ")"
}
