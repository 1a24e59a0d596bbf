package cmd

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

const (
	// recheckedAge is how long an object may be stuck and yet be only passing through: a
	// controller that has many objects to finish does so one after the other.
	recheckedAge = 2 * time.Minute
	// maxRechecks is how many requests a list spends on looking once more.
	maxRechecks = 10
)

// dropDeleted leaves out the objects that have been deleted since they were listed, and
// says so: in a busy and healthy cluster there are always some, and nothing is wrong
// with them. It looks at those that are new and that no cause explains.
func (o *listOptions) dropDeleted(ctx context.Context, diagnoses []*stuck.Diagnosis) []*stuck.Diagnosis {
	now := o.source.Now()
	type place struct {
		resource  schema.GroupResource
		namespace string
	}
	var young []*stuck.Diagnosis
	for _, d := range diagnoses {
		if d.Verdict == stuck.Unknown && d.Object.IsStuck(now) && d.Object.StuckDuration(now) < recheckedAge && d.Object.UID != "" {
			young = append(young, d)
		}
	}
	groups := stuck.GroupBy(young, func(d *stuck.Diagnosis) place {
		return place{d.Object.Type.GVR().GroupResource(), d.Object.Namespace}
	})
	var deleted []*stuck.Diagnosis
	for _, group := range groups[:min(maxRechecks, len(groups))] {
		deleted = append(deleted, o.deletedAmong(ctx, group)...)
	}
	if len(deleted) == 0 {
		return diagnoses
	}
	kept := slices.DeleteFunc(slices.Clone(diagnoses), func(d *stuck.Diagnosis) bool { return slices.Contains(deleted, d) })
	o.reportDeleted(deleted, kept)
	return kept
}

// deletedAmong are those of some objects of one type and namespace that do not exist any
// more. What cannot be read is taken to exist.
func (o *listOptions) deletedAmong(ctx context.Context, group []*stuck.Diagnosis) []*stuck.Diagnosis {
	first := group[0].Object
	if len(group) == 1 {
		m, err := o.source.Metadata(ctx, first.Type, first.Namespace, first.Name)
		if cluster.IsObjectNotFound(err) || err == nil && m.UID != first.UID {
			return group
		}
		return nil
	}
	exists := map[types.UID]bool{}
	err := o.source.Scan(ctx, first.Type, cluster.Selection{Namespace: first.Namespace}, func(object stuck.Object) {
		exists[object.UID] = true
	})
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(group), func(d *stuck.Diagnosis) bool { return exists[d.Object.UID] })
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
