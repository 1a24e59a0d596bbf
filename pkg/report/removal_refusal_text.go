package report

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// refusalKey is what is said of a refusal, whichever object it is about. Its command
// follows from these and the object.
type refusalKey struct {
	collection
	reason, fix, override string
	culprit               stuck.Culprit
}

func refusalKeyOf(r removal.Refusal) refusalKey {
	return refusalKey{collectionOf(r.Object), r.Reason, r.Fix.Description, r.Override, r.Culprit}
}

// writeRefusals writes refusals, those of similar objects once, and all of one object
// together.
func writeRefusals(w removalWriter, refusals []removal.Refusal) {
	last := ""
	for _, group := range stuck.GroupBy(refusals, refusalKeyOf) {
		var objects []stuck.Object
		var ids []string
		for _, r := range group {
			objects, ids = append(objects, r.Object), append(ids, r.Object.Path())
		}
		if same := stuck.ListKey(ids); same != last {
			w.subject(subjectText(objects))
			last = same
		}
		writeRefusal(w, group[0])
	}
}

func writeRefusal(w removalWriter, r removal.Refusal) {
	w.detail("reason", "%s", r.Reason)
	if r.Fix.Description != "" {
		w.detail(string(r.Fix.Action), "%s", r.Fix.Description)
	}
	if r.Fix.Command != "" {
		w.command(r.Fix.Command)
	}
	if r.Override != "" {
		w.detail("or pass", "%s, to %s", r.Override, overrideTexts[r.Override])
	}
}

// overrideTexts say what the flags do.
var overrideTexts = map[string]string{
	removal.FlagOverrideVerdict: "remove the finalizers all the same",
	removal.FlagAcceptLeaks:     "accept what is left behind",
	removal.FlagAcceptDataLoss:  "accept that data is lost",
	removal.FlagStrandContent:   "finalize the namespace without its controller, and strand what it still contains",
}
