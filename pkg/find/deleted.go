package find

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

const (
	// recheckedAge is how long an object may be stuck and yet be only passing through: a
	// controller that has many objects to finish does so one after the other.
	recheckedAge = 2 * time.Minute
	// maxRechecks is how many requests are spent on looking once more.
	maxRechecks = 10
)

// Deleted are the objects that have been deleted since they were found: in a busy and
// healthy cluster there are always some, and nothing is wrong with them. It looks at those
// that are new and that no cause explains.
func Deleted(ctx context.Context, source cluster.Source, diagnoses []*stuck.Diagnosis) []*stuck.Diagnosis {
	now := source.Now()
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
		deleted = append(deleted, deletedAmong(ctx, source, group)...)
	}
	return deleted
}

// deletedAmong are those of some objects of one type and namespace that do not exist any
// more. What cannot be read is taken to exist.
func deletedAmong(ctx context.Context, source cluster.Source, group []*stuck.Diagnosis) []*stuck.Diagnosis {
	first := group[0].Object
	if len(group) == 1 {
		m, err := source.Metadata(ctx, first.Type, first.Namespace, first.Name)
		if cluster.IsObjectNotFound(err) || err == nil && m.UID != first.UID {
			return group
		}
		return nil
	}
	exists := map[types.UID]bool{}
	err := source.Scan(ctx, first.Type, cluster.Selection{Namespace: first.Namespace}, func(object stuck.Object) {
		exists[object.UID] = true
	})
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(group), func(d *stuck.Diagnosis) bool { return exists[d.Object.UID] })
}
