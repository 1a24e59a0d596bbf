package cmd

import "github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"

// document is the cluster in a document.
func (c fleetCluster) document(err error) report.Cluster {
	out := report.Cluster{Name: c.name(), Contexts: []string{}, Server: c.server}
	for _, each := range c.contexts {
		out.Contexts = append(out.Contexts, each.name)
	}
	switch {
	case isAbsence(err):
		out.NotFound = c.errorText(err)
	case err != nil:
		out.Error = c.errorText(err)
	}
	return out
}

// documents are the clusters in a document.
func documents[T any](results []fleetResult[T]) []report.Cluster {
	out := []report.Cluster{}
	for _, r := range results {
		out = append(out, r.document(r.err))
	}
	return out
}

// unreadReport is the report of a cluster of which nothing was read.
func (r fleetResult[T]) unreadReport(command string) report.ClusterReport {
	if isAbsence(r.err) {
		return report.ClusterReport{Cluster: r.name(), Report: report.Report{Command: command, Headline: r.errorText(r.err)}}
	}
	return report.NewUnreadReport(command, r.name(), r.errorText(r.err))
}
