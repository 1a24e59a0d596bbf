package report

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Cluster is one of several clusters in a document.
type Cluster struct {
	// Name is the context that was used, behind the file if files have contexts of one name.
	Name string `json:"name"`
	// Contexts are all selected contexts of this cluster.
	Contexts []string `json:"contexts"`
	Server   string   `json:"server,omitempty"`
	// Error says why the cluster could not be read.
	Error string `json:"error,omitempty"`
	// NotFound says what the cluster does not have of what was named, so that nothing was read.
	NotFound string `json:"notFound,omitempty"`
}

// ClusterGap is a cluster that could not be read at all.
func ClusterGap(message string) stuck.Gap { return stuck.Gap{Source: "the cluster", Error: message} }

// ClusterGaps are the clusters that could not be read at all.
func ClusterGaps(clusters []Cluster) []Gap {
	out := []Gap{}
	for _, c := range clusters {
		if c.Error != "" {
			gap := newGap(ClusterGap(c.Error))
			gap.Cluster = c.Name
			out = append(out, gap)
		}
	}
	return out
}

// JoinStuckLists is one list of several clusters, in which each item, cause and gap names its
// cluster. A cluster that could not be read has an empty list.
func JoinStuckLists(clusters []Cluster, lists []StuckList) StuckList {
	out := NewStuckList(nil, nil)
	out.Clusters = clusters
	for i, c := range clusters {
		list := lists[i]
		for i := range list.Items {
			list.Items[i].Cluster = c.Name
		}
		for i := range list.Causes {
			list.Causes[i].Cluster = c.Name
		}
		for i := range list.Gaps {
			list.Gaps[i].Cluster = c.Name
		}
		out.Items, out.Causes, out.Gaps = append(out.Items, list.Items...), append(out.Causes, list.Causes...), append(out.Gaps, list.Gaps...)
	}
	out.Gaps = append(out.Gaps, ClusterGaps(clusters)...)
	return out
}

// AddCluster puts the rows of a cluster below those of others, behind a column with its name.
func AddCluster(all *metav1.Table, cluster string, table *metav1.Table) {
	all.ColumnDefinitions = slices.Concat(columns(0, "Cluster"), table.ColumnDefinitions)
	for _, row := range table.Rows {
		all.Rows = append(all.Rows, metav1.TableRow{Cells: slices.Concat(escapeCells([]any{cluster}), row.Cells)})
	}
}

// ClusterReport is the report of one of several clusters.
type ClusterReport struct {
	Report
	Cluster string
}

// JoinReports is the report of several clusters. It draws no graphs: objects of two clusters may
// have the same name.
func JoinReports(headline string, parts []ClusterReport) Report {
	out := Report{Headline: headline, Table: &metav1.Table{}, Clusters: parts}
	for _, part := range parts {
		out.Command = part.Command
		if part.Now.After(out.Now) {
			out.Now = part.Now
		}
		if part.Table != nil {
			AddCluster(out.Table, part.Cluster, part.Table)
		}
		for _, issue := range part.Issues {
			issue.Cluster = part.Cluster
			out.Issues = append(out.Issues, issue)
		}
		for _, gap := range part.Gaps {
			// A type that one cluster does not list may be listed by another.
			out.Gaps = append(out.Gaps, stuck.Gap{Source: part.Cluster + ": " + gap.Source, Error: gap.Error})
		}
		out.addMetrics(part)
	}
	sortIssues(out.Issues)
	return out
}

// addMetrics adds the samples of a cluster, with a label that names it.
func (r *Report) addMetrics(part ClusterReport) {
	for _, m := range part.Metrics {
		i := slices.IndexFunc(r.Metrics, func(known Metric) bool { return known.Name == m.Name })
		if i < 0 {
			i = len(r.Metrics)
			r.Metrics = append(r.Metrics, Metric{Name: m.Name, Help: m.Help})
		}
		for _, sample := range m.Samples {
			sample.Labels = slices.Concat([]string{"cluster", part.Cluster}, sample.Labels)
			r.Metrics[i].Samples = append(r.Metrics[i].Samples, sample)
		}
	}
}

// NewUnreadReport is the report of a cluster that could not be read.
func NewUnreadReport(command, cluster, message string) ClusterReport {
	gaps := []stuck.Gap{ClusterGap(message)}
	return ClusterReport{Cluster: cluster, Report: Report{Command: command, Headline: message, Gaps: gaps, Metrics: []Metric{gapMetric(gaps)}}}
}
