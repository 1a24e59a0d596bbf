package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// RootCause is the end of chains: why objects are stuck that wait for nothing else, with
// everything that waits for those.
type RootCause struct {
	// Cause is the id of the cause, empty for finalizers that no cause explains.
	Cause   string
	Verdict stuck.Verdict
	// Certainty is that of the finding, empty where there is none.
	Certainty   stuck.Certainty
	Message     string
	Controllers []stuck.Controller
	// Objects are those of the list that the cause holds, directly or not.
	Objects []*stuck.Diagnosis

	// blockedBy is what is at fault, unless that is what removes some finalizers.
	blockedBy  stuck.Culprit
	finalizers []string
}

// rootKey is equal for one cause that holds several objects.
type rootKey struct {
	cause, finalizers, message string
	blockedBy                  stuck.Culprit
}

func (r RootCause) key() rootKey {
	key := rootKey{cause: r.Cause, finalizers: stuck.ListKey(r.finalizers), blockedBy: r.blockedBy}
	if len(r.finalizers) > 0 {
		key.message = r.Message // a controller may fail on each object in another way
	}
	return key
}

// since is how long the longest of the objects has been stuck.
func (r RootCause) since(now time.Time) time.Duration {
	return stuck.Group(r.Objects).MaxStuckDuration(now)
}

// oldest is when the first of the objects was deleted.
func (r RootCause) oldest() time.Time {
	return slices.MinFunc(r.Objects, func(a, b *stuck.Diagnosis) int { return a.Object.DeletionTime.Compare(b.Object.DeletionTime) }).Object.DeletionTime
}

// RootCauses are the causes of what was found, those that hold the most objects first. An
// object counts with each of the causes that it waits for in the end.
func RootCauses(diagnoses []*stuck.Diagnosis) []*RootCause {
	var out []*RootCause
	index := map[rootKey]*RootCause{}
	for _, d := range diagnoses {
		if !d.Object.NeedsVerdict() {
			continue
		}
		for _, r := range rootCausesOf(d) {
			known := index[r.key()]
			if known == nil {
				known = &r
				index[r.key()], out = known, append(out, known)
			}
			known.Verdict = stuck.MoreCautious(known.Verdict, r.Verdict)
			known.Objects = append(known.Objects, d)
		}
	}
	slices.SortStableFunc(out, func(a, b *RootCause) int {
		return cmp.Or(
			cmp.Compare(len(b.Objects), len(a.Objects)), compareVerdicts(a.Verdict, b.Verdict),
			a.oldest().Compare(b.oldest()), cmp.Compare(a.Cause, b.Cause),
		)
	})
	return out
}

// compareVerdicts puts first what can be fixed.
func compareVerdicts(a, b stuck.Verdict) int {
	switch {
	case a == b:
		return 0
	case stuck.MoreCautious(a, b) == a:
		return -1
	}
	return 1
}

// rootCausesOf are the ends of all chains that begin at an object, each once.
func rootCausesOf(d *stuck.Diagnosis) []RootCause {
	var out []RootCause
	seen := map[rootKey]bool{}
	for _, each := range d.All() {
		for _, r := range ownCauses(each) {
			if !seen[r.key()] {
				seen[r.key()] = true
				out = append(out, r)
			}
		}
	}
	if len(out) == 0 { // objects that wait for one another, and for nothing else
		return []RootCause{otherCause(d)}
	}
	return out
}

// ownCauses are the causes that hold an object itself, and not through others.
func ownCauses(d *stuck.Diagnosis) []RootCause {
	var out []RootCause
	for _, f := range foldedFindings(d) {
		if !f.IsLink() {
			out = append(out, causeOf(d, f, verdictOf(d, f)))
		}
	}
	if d.Conclude() == stuck.Unknown {
		for _, r := range unexplainedReasons(stuck.Group{d}) {
			out = append(out, RootCause{
				Verdict: stuck.Unknown, Message: r.waitText(), Controllers: r.controllers,
				finalizers: r.unexplained,
			})
		}
	}
	if len(out) == 0 && len(d.WaitsFor) == 0 {
		out = append(out, otherCause(d))
	}
	return out
}

// otherCause is what is said of an object that no chain leads away from.
func otherCause(d *stuck.Diagnosis) RootCause {
	if f, ok := d.PrimaryFinding(); ok {
		return causeOf(d, f, d.Conclude())
	}
	return RootCause{Verdict: d.Conclude(), Message: causeSummary(d)}
}

func causeOf(d *stuck.Diagnosis, f stuck.Finding, verdict stuck.Verdict) RootCause {
	out := RootCause{Cause: f.Cause, Verdict: verdict, Certainty: f.Certainty, Message: f.Message, Controllers: d.Controllers, blockedBy: f.BlockedBy}
	if finalizers := ownFinalizers(d.Object, f); blamesObject(d.Object, f) && len(finalizers) > 0 {
		out.blockedBy, out.finalizers = stuck.Culprit{}, finalizers
	}
	return out
}

// verdictOf is what a finding means for the object if nothing else holds it, which is
// less than its own verdict where a cause could not be checked.
func verdictOf(d *stuck.Diagnosis, f stuck.Finding) stuck.Verdict {
	alone := stuck.Diagnosis{Object: d.Object, Findings: []stuck.Finding{f}, NotRuledOut: d.NotRuledOut}
	return alone.Conclude()
}

// text is what is at fault.
func (r RootCause) text(names TypeNames) string {
	if len(r.finalizers) > 0 || r.blockedBy.Name == "" {
		return orNone(finalizerList(r.finalizers, ","))
	}
	return names.culpritFrom(r.blockedBy, "")
}
