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
	askMay      = "may patch"
	askProbe    = "probe"
)

func ofOne(kind string, t stuck.Type, namespace, name string) string {
	return strings.TrimSpace(kind + " " + t.String() + "/" + name + in(namespace))
}

// ofRight asks about one object, or about all of a type.
func ofRight(t stuck.Type, namespace, name string) string {
	if name == "" {
		return ofMany(askMay, t, cluster.Selection{Namespace: namespace})
	}
	return ofOne(askMay, t, namespace, name)
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
