package diagnose

import (
	"context"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// findByEntries looks for the causes that the catalog's data describes, for each
// finalizer of an object that the catalog knows on its type and that one project alone
// removes.
func findByEntries(ctx context.Context, view *cluster.View, entries *catalog.Catalog, o stuck.Object, causes ...kit.Cause) (findings []stuck.Finding, open []stuck.OpenCause) {
	subject := catalog.Subject{Kind: o.Type.Kind, Group: o.Type.Group, Resource: o.Type.Resource, Groups: view.APIGroups()}
	for _, finalizer := range o.Finalizers {
		if ctx.Err() != nil {
			break
		}
		match := entries.Lookup(finalizer, subject)
		if len(match.Entries) != 1 || match.OtherType {
			continue
		}
		known := kit.KnownFinalizer{Object: o, Finalizer: finalizer, Entry: match.Entry(o.Namespace, o.Name)}
		for _, c := range causes {
			if c.ByEntry == nil {
				continue
			}
			scoped := view.Scoped()
			for _, f := range c.ByEntry(scoped, known) {
				f.Cause = c.ID
				findings = append(findings, f)
			}
			open = append(open, openCauses(c.ID, scoped)...)
		}
	}
	return findings, open
}

// FindMissing returns what the controllers of an object need to finish and that does not exist: credentials, a
// configuration, a class, as far as the catalog knows.
func FindMissing(ctx context.Context, view *cluster.View, entries *catalog.Catalog, o stuck.Object) []stuck.Finding {
	found, _ := findByEntries(ctx, view, entries, o, cause.ReferenceMissing, cause.ClassMissing)
	return found
}

// notAlreadyNamed leaves out what the catalog's data says of a culprit that a cause of its own
// names already: that cause says more of it, with the steps that fit.
func notAlreadyNamed(byEntry, found []stuck.Finding) []stuck.Finding {
	return slices.DeleteFunc(byEntry, func(f stuck.Finding) bool {
		return slices.ContainsFunc(found, func(other stuck.Finding) bool {
			a, b := f.BlockedBy, other.BlockedBy
			a.APIVersion, b.APIVersion = "", ""
			return a == b && a.Name != ""
		})
	})
}
