package recording

import (
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// The kinds of question, as they begin.
const (
	askGet      = "get"
	askMetadata = "metadata of"
	askList     = "list"
	askScan     = "scan"
	askWatches  = "watches"
)

func ofOne(kind string, t stuck.Type, namespace, name string) string {
	return strings.TrimSpace(kind + " " + t.String() + "/" + name + in(namespace))
}

func ofMany(kind string, t stuck.Type, sel cluster.Selection) string {
	q := kind + " " + t.String() + in(sel.Namespace)
	if sel.Labels != "" {
		q += " with labels " + sel.Labels
	}
	if sel.Fields != "" {
		q += " where " + sel.Fields
	}
	if sel.Name != "" {
		q += " named " + sel.Name
	}
	return q
}

func in(namespace string) string {
	if namespace == "" {
		return ""
	}
	return " in " + namespace
}
