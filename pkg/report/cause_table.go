package report

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// CauseTable is a line for each root cause.
func CauseTable(causes []*RootCause, options TableOptions) *metav1.Table {
	table := &metav1.Table{ColumnDefinitions: slices.Concat(
		columns(0, "Since"), []metav1.TableColumnDefinition{{Name: "Objects", Type: "integer"}},
		columns(0, "Verdict", "Cause", "Blocked By", "Affects"), columns(1, "Certainty", "Controller", "Message"),
	)}
	for _, c := range causes {
		since := duration.HumanDuration(c.since(options.Now))
		table.Rows = append(table.Rows, metav1.TableRow{Cells: escapeCells([]any{
			since, len(c.Objects), string(c.Verdict), orNone(c.Cause), c.text(options.Names), c.affected(options),
			orNone(string(c.Certainty)), controllersText(c.Controllers), c.Message,
		})})
	}
	return table
}

// affected are the objects by number, type and namespace, cluster-scoped ones first.
func (r RootCause) affected(options TableOptions) string {
	var parts []string
	type place struct{ group, resource, namespace string }
	objects := slices.SortedStableFunc(slices.Values(r.Objects), func(a, b *stuck.Diagnosis) int { return stuck.Compare(a.Object, b.Object) })
	for _, g := range stuck.GroupBy(objects, func(d *stuck.Diagnosis) place {
		return place{d.Object.Type.Group, d.Object.Type.Resource, d.Object.Namespace}
	}) {
		parts = append(parts, options.Names.group(g)+stuck.InNamespace(g[0].Object.Namespace))
	}
	if options.Wide {
		return stuck.JoinFirst(parts, len(parts))
	}
	return stuck.JoinFirst(parts, maxNames)
}
