package cluster

// ReportedListError is a list that is not in a dump, and failed for kube-controller-manager before: the
// conditions of a namespace quote the error.
type ReportedListError struct {
	Namespace string
	Message   string
}

func (e *ReportedListError) Error() string {
	return "not in this dump; the conditions of the namespace report: " + e.Message
}
