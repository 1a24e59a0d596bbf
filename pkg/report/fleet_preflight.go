package report

import (
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/preflight"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// PreflightReportList is the document of the preflight command for several clusters. Its gaps are the
// clusters of which nothing could be read.
type PreflightReportList struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Items      []PreflightReport `json:"items"`
	Clusters   []Cluster         `json:"clusters"`
	Gaps       []Gap             `json:"gaps"`
}

// NewPreflightReportList is the document of the reports of several clusters.
func NewPreflightReportList(clusters []Cluster, items []PreflightReport) PreflightReportList {
	return PreflightReportList{APIVersion: APIVersion, Kind: "PreflightReportList", Items: nonNil(items), Clusters: clusters, Gaps: ClusterGaps(clusters)}
}

// FleetPreflightTable is a row for each of several clusters, of which those that could not be read
// have no prediction.
func FleetPreflightTable(clusters []Cluster, predictions []*preflight.Result) *metav1.Table {
	table := &metav1.Table{ColumnDefinitions: columns(0, "Cluster", "Outcome", "Objects", "Get Stuck", "Unknown")}
	for i, c := range clusters {
		cells := []any{c.Name, c.unreadResult(), noValue, noValue, noValue}
		if r := predictions[i]; r != nil {
			held, unknown := heldDiagnoses(*r), 0
			for _, d := range held {
				if d.Verdict == stuck.Unknown {
					unknown++
				}
			}
			cells = []any{c.Name, string(r.Outcome), strconv.Itoa(r.Objects), strconv.Itoa(len(held) - unknown), strconv.Itoa(unknown)}
		}
		table.Rows = append(table.Rows, metav1.TableRow{Cells: escapeCells(cells)})
	}
	return table
}
