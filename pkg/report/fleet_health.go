package report

import (
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// FleetHealthTable is a row for each of several clusters, of which those that could not be read have
// no report.
func FleetHealthTable(clusters []Cluster, reports []*stuck.Health) *metav1.Table {
	table := &metav1.Table{ColumnDefinitions: columns(0, "Cluster", "Result", "Problems", "Warnings", "Stuck", "Blocked", "Kubernetes")}
	for i, c := range clusters {
		cells := []any{c.Name, c.unreadResult(), noValue, noValue, noValue, noValue, noValue}
		if h := reports[i]; h != nil {
			problems, warnings, _ := countProblems(*h)
			cells = []any{c.Name, healthResult(*h), strconv.Itoa(problems), strconv.Itoa(warnings), stuckNumber(*h), strconv.Itoa(h.BlockedObjects()), orDash(h.Version)}
		}
		table.Rows = append(table.Rows, metav1.TableRow{Cells: escapeCells(cells)})
	}
	return table
}

// stuckNumber counts the objects that are stuck: "4+" are at least four.
func stuckNumber(h stuck.Health) string {
	if h.Incomplete() {
		return strconv.Itoa(h.StuckObjects) + "+"
	}
	return strconv.Itoa(h.StuckObjects)
}

// healthResult is the worst result of the checks, as tables show it.
func healthResult(h stuck.Health) string {
	if h.Worst() == stuck.Healthy && h.Incomplete() {
		return results[stuck.Incomplete]
	}
	return results[h.Worst()]
}

// unreadResult is the result of a cluster of which nothing was read.
func (c Cluster) unreadResult() string {
	if c.NotFound != "" {
		return noValue
	}
	return "UNREAD"
}
