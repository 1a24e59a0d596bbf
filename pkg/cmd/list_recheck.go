package cmd

import (
	"context"
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/find"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// dropDeleted leaves out the objects that have been deleted since they were listed, and says so.
func (o *listOptions) dropDeleted(ctx context.Context, diagnoses []*stuck.Diagnosis) []*stuck.Diagnosis {
	deleted := find.Deleted(ctx, o.source, diagnoses)
	if len(deleted) == 0 {
		return diagnoses
	}
	kept := slices.DeleteFunc(slices.Clone(diagnoses), func(d *stuck.Diagnosis) bool { return slices.Contains(deleted, d) })
	o.reportDeleted(deleted, kept)
	return kept
}

// reportDeleted says how many objects have been deleted, and how many remain that wait
// for the same finalizers and may follow.
func (o *listOptions) reportDeleted(deleted, kept []*stuck.Diagnosis) {
	kind := func(d *stuck.Diagnosis) string {
		return stuck.ListKey(d.Object.Type.GVR().String(), d.Object.Finalizers)
	}
	kinds := map[string]bool{}
	for _, d := range deleted {
		kinds[kind(d)] = true
	}
	similar := 0
	for _, d := range kept {
		if d.Verdict == stuck.Unknown && kinds[kind(d)] {
			similar++
		}
	}
	line := report.CountVerb(len(deleted), "object", "was", "were") + " deleted while this command ran"
	if similar > 0 {
		line += "; " + report.CountVerb(similar, "similar object", "is", "are") + " left: run it again to see whether that number falls"
	}
	fmt.Fprintln(o.program.Streams.ErrOut, line+".")
}
