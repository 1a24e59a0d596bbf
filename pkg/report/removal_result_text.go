package report

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ResultText writes what was done: a line for each object, or for those that ended in
// the same way, then the count, and what to do about the rest. restore is the
// command line that restores a folder, up to its name.
func ResultText(out io.Writer, r removal.Report, restore string) {
	w := removalWriter{out}
	for _, group := range stuck.GroupBy(r.Results, resultKeyOf) {
		writeResults(w, group)
	}
	if len(r.Results) > 0 {
		w.prose("%s (%.1fs).", outcomesText(r.Results), r.Duration.Seconds())
	}
	count := removal.CountOutcomes(r.Results)
	if count[removal.Done]+count[removal.Gone] < len(r.Results) {
		w.prose("To do what was not done, run the same command again.")
	}
	for _, o := range r.Gone {
		if !slices.ContainsFunc(r.Results, func(i removal.Result) bool { return i.Step.Object.UID == o.UID }) {
			w.prose("%s is deleted.", o.RefInNamespace())
		}
	}
	for _, o := range r.Remaining {
		w.prose("%s still exists; to see why:", o.RefInNamespace())
		w.command(o.Command("finalizers", "explain"))
	}
	if len(r.Results) == 0 {
		return
	}
	w.fact("Cluster", "%s", contextText(r.Cluster.Context, r.Cluster.Server))
	w.fact("Copies", "%s", r.BackupDir)
	w.fact("Audit", "%s", filepath.Join(r.BackupDir, removal.AuditFile))
	if slices.ContainsFunc(r.Results, func(i removal.Result) bool { return i.Saved.Path != "" }) {
		w.prose("To restore from the copies:")
		w.command(restore + " " + stuck.ShellQuote(r.BackupDir))
	}
}

// outcomesText is how many steps ended in which way.
func outcomesText(results []removal.Result) string {
	count := removal.CountOutcomes(results)
	text := fmt.Sprintf("Finalizers removed from %d of %s", count[removal.Done], stuck.Count(len(results), "object"))
	for _, part := range []struct {
		outcome removal.Outcome
		text    string
	}{
		{removal.Gone, "%d needed no write"}, {removal.Refused, "%d refused"}, {removal.Failed, "%d failed"}, {removal.NotAttempted, "%d not attempted"},
	} {
		if n := count[part.outcome]; n > 0 {
			text += "; " + fmt.Sprintf(part.text, n)
		}
	}
	return text
}

// resultKey is what is said of the end of a step, whichever object it is about.
type resultKey struct {
	collection
	outcome          removal.Outcome
	message, omitted string
}

func resultKeyOf(r removal.Result) resultKey {
	return resultKey{collectionOf(r.Step.Object), r.Outcome, r.Message, r.Saved.Omitted}
}

func writeResults(w removalWriter, group []removal.Result) {
	first := group[0]
	text := strings.TrimSuffix(first.Outcome.Words()+": "+first.Message, ": ")
	if first.Saved.Omitted != "" {
		text += "; the saved copy is without " + first.Saved.Omitted
	}
	var objects []stuck.Object
	for _, r := range group {
		objects = append(objects, r.Step.Object)
	}
	if len(group) > stuck.MaxUngrouped {
		w.row("%s %s", subjectText(objects), text)
		return
	}
	for _, o := range objects {
		w.row("%s %s", o.RefInNamespace(), text)
	}
}
