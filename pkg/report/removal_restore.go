package report

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// RestoreScreen is what restore would do, or has done.
type RestoreScreen struct {
	Cluster removal.Cluster
	// Dir is the folder of the saved copies.
	Dir   string
	Steps []removal.RestoreStep
	// Results are those of the steps that were carried out.
	Results []removal.RestoreResult
	// Token confirms the plan, empty if there is none.
	Token string
}

// RestorePlanText lists the steps; of many that are similar, their number. What gives
// permissions or runs programs is always named, and shown whole.
func RestorePlanText(out io.Writer, s RestoreScreen) error {
	w := removalWriter{out}
	w.fact("Cluster", "%s", contextText(s.Cluster.Context, s.Cluster.Server))
	w.fact("Copies", "%s", s.Dir)
	w.fact("Plan", "%s%s", restoreCounts(s.Steps), unverifiedCount(s.Steps))
	for _, group := range stuck.GroupBy(s.Steps, restoreKey) {
		if n := len(group); n > stuck.MaxUngrouped {
			w.subject(fmt.Sprintf("%d %s (%s ... %s)", n, group[0].TypeInNamespace(), group[0].SavedCopy.Object.GetName(), group[n-1].SavedCopy.Object.GetName()))
		} else {
			var refs []string
			for _, step := range group {
				refs = append(refs, step.Ref())
			}
			w.subject(strings.Join(refs, ", ") + stuck.InNamespace(group[0].SavedCopy.Object.GetNamespace()))
		}
		if copies := unverifiedCopies(group); len(copies) > 0 {
			w.detail("unverified", "%s: no digest in %s matches", stuck.JoinFirst(copies, maxNames), removal.AuditFile)
		}
		if err := writeRestoreStep(w, group[0]); err != nil {
			return err
		}
	}
	return nil
}

// unverifiedCount says how many copies may have been changed or forged.
func unverifiedCount(steps []removal.RestoreStep) string {
	switch n := len(unverifiedCopies(steps)); n {
	case 0:
		return ""
	case 1:
		return "; 1 copy is unverified"
	default:
		return fmt.Sprintf("; %d copies are unverified", n)
	}
}

// unverifiedCopies are the files that do not match a digest.
func unverifiedCopies(steps []removal.RestoreStep) []string {
	var out []string
	for _, s := range steps {
		if !s.SavedCopy.Verified {
			out = append(out, filepath.Base(s.SavedCopy.File))
		}
	}
	return out
}

// restoreCounts is how many objects are restored in which way.
func restoreCounts(steps []removal.RestoreStep) string {
	count := map[removal.RestoreAction]int{}
	for _, step := range steps {
		count[step.Action()]++
	}
	var parts []string
	for _, part := range []struct {
		action removal.RestoreAction
		text   string
	}{
		{removal.Recreate, "recreate %s"},
		{removal.AddFinalizers, "add finalizers to %s"},
		{removal.NoAction, "leave %s unchanged"},
		{removal.Refuse, "refuse %s"},
	} {
		if n := count[part.action]; n > 0 {
			parts = append(parts, fmt.Sprintf(part.text, stuck.Count(n, "object")))
		}
	}
	return strings.Join(parts, ", ")
}

// restoreKey is what is said of a step, whichever object it is about.
func restoreKey(s removal.RestoreStep) string {
	if s.IsPrivileged() {
		return s.SavedCopy.File
	}
	return stuck.ListKey([]string{s.TypeInNamespace(), string(s.Action()), s.Reason, s.SavedCopy.Omitted, fmt.Sprint(s.SavedCopy.Verified)}, s.Finalizers())
}

func writeRestoreStep(w removalWriter, s removal.RestoreStep) error {
	finalizers := strings.Join(s.Finalizers(), ", ")
	switch s.Action() {
	case removal.Refuse:
		w.detail("refused", "cannot be restored: %s", s.Reason)
		if s.Fix.Command != "" {
			w.detail(string(s.Fix.Action), "%s", s.Fix.Description)
			w.command(s.Fix.Command)
		}
	case removal.NoAction:
		w.detail("unchanged", "%s", s.Reason)
	case removal.AddFinalizers:
		w.detail("add", "%s", finalizers)
	case removal.Recreate:
		w.detail("recreate", "with %s", finalizers)
		if s.SavedCopy.Omitted != "" {
			w.detail("without", "%s, never saved", s.SavedCopy.Omitted)
		}
		if !s.IsPrivileged() {
			return nil
		}
		text, err := s.Manifest()
		if err != nil {
			return err
		}
		for line := range strings.Lines(text) {
			fmt.Fprint(w.out, "      "+line)
		}
	}
	return nil
}

// RestoreDryRunText writes that the API server accepts all of a restore.
func RestoreDryRunText(out io.Writer, n int) {
	removalWriter{out}.fact("Dry run", "%d of %d accepted by the API server (the requests: -o json)", n, n)
}

// RestoreFailures writes what did not succeed, a line for each.
func RestoreFailures(out io.Writer, results []removal.RestoreResult) {
	w := removalWriter{out}
	for _, r := range results {
		if r.Outcome != removal.Done {
			w.row("%s %s: %s", r.Step.RefInNamespace(), r.Outcome.Words(), r.Message)
		}
	}
}

// RestoreDocument is the document of what restore would do (RestorePlan), or of what it
// has done (RestoreResult).
type RestoreDocument struct {
	APIVersion string        `json:"apiVersion"`
	Kind       string        `json:"kind"`
	Server     string        `json:"server"`
	Context    string        `json:"context,omitempty"`
	Backup     string        `json:"backup"`
	Token      string        `json:"token,omitempty"`
	Items      []restoreItem `json:"items"`
}

// restoreItem is a step as it stands in a document.
type restoreItem struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Metadata names the object, with the finalizers that it gets.
	Metadata ObjectMetadata        `json:"metadata"`
	Copy     string                `json:"copy"`
	Action   removal.RestoreAction `json:"action"`
	// Reason says why nothing is done.
	Reason string `json:"reason,omitempty"`
	// Step is what to do about it first.
	Step *stuck.Step `json:"step,omitempty"`
	// Omitted is what was left out of the saved copy on purpose.
	Omitted string `json:"omitted,omitempty"`
	// Unverified says that the saved copy does not match a digest: it may have been changed or forged.
	Unverified bool             `json:"unverified,omitempty"`
	Request    *removal.Request `json:"request,omitempty"`
	Outcome    removal.Outcome  `json:"outcome,omitempty"`
	Message    string           `json:"message,omitempty"`
}

// NewRestoreDocument is the document of a screen: of its results, if it has any.
func NewRestoreDocument(s RestoreScreen) *RestoreDocument {
	doc := &RestoreDocument{
		APIVersion: APIVersion, Kind: "RestorePlan", Server: s.Cluster.Server, Context: s.Cluster.Context, Backup: s.Dir, Token: s.Token, Items: []restoreItem{},
	}
	if s.Results != nil {
		doc.Kind = "RestoreResult"
	}
	results := map[string]removal.RestoreResult{}
	for _, r := range s.Results {
		results[r.Step.SavedCopy.File] = r
	}
	for _, step := range s.Steps {
		saved, result := step.SavedCopy.Object, results[step.SavedCopy.File]
		item := restoreItem{
			APIVersion: saved.GetAPIVersion(), Kind: saved.GetKind(), Copy: step.SavedCopy.File,
			Metadata: ObjectMetadata{Namespace: saved.GetNamespace(), Name: saved.GetName(), Finalizers: nonNil(step.Finalizers())},
			Action:   step.Action(), Reason: step.Reason, Omitted: step.SavedCopy.Omitted, Unverified: !step.SavedCopy.Verified,
			Outcome: result.Outcome, Message: result.Message,
		}
		if step.Fix.Description != "" {
			item.Step = &step.Fix
		}
		if len(item.Metadata.Finalizers) > 0 {
			request := step.Request()
			item.Request = &request
		}
		doc.Items = append(doc.Items, item)
	}
	return doc
}
