package health

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// namespaceQueue says how many namespaces are being deleted, and since when the oldest is.
func (c *checker) namespaceQueue() string {
	if !c.snapshot.hasRead(cluster.NamespaceType) {
		return "how many namespaces are being deleted was not read"
	}
	namespaces := c.snapshot.deletingNamespaces()
	if len(namespaces) == 0 {
		return "no namespace is being deleted"
	}
	oldest := slices.MinFunc(namespaces, func(a, b stuck.Object) int { return a.DeletionTime.Compare(b.DeletionTime) })
	verb := "are"
	if len(namespaces) == 1 {
		verb = "is"
	}
	return fmt.Sprintf("%s %s being deleted, the oldest (%s) for %s", stuck.Count(len(namespaces), "namespace"), verb, oldest.Name,
		duration.HumanDuration(c.view.Now().Sub(oldest.DeletionTime)))
}
