package recording

import (
	"fmt"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// The kinds of question, as they begin.
const (
	kindGet      = "get"
	kindMetadata = "metadata of"
	kindList     = "list"
	kindScan     = "scan"
	kindListTime = "time to list"
	kindWatches  = "watches"
	kindMayPatch = "may patch"
	kindServes   = "serves"
	kindProbe    = "probe"
)

func objectQuestion(kind string, t stuck.Type, namespace, name string) string {
	return strings.TrimSpace(kind + " " + t.String() + "/" + name + inNamespace(namespace))
}

// mayPatchQuestion asks about one object, or about all of a type.
func mayPatchQuestion(t stuck.Type, namespace, name string) string {
	if name == "" {
		return selectionQuestion(kindMayPatch, t, cluster.Selection{Namespace: namespace})
	}
	return objectQuestion(kindMayPatch, t, namespace, name)
}

func selectionQuestion(kind string, t stuck.Type, sel cluster.Selection) string {
	q := kind + " " + t.String() + inNamespace(sel.Namespace)
	if sel.Labels != "" {
		q += " with labels " + sel.Labels
	}
	if sel.Fields != "" {
		q += " where " + sel.Fields
	}
	if sel.Name != "" {
		q += " named " + sel.Name
	}
	if w := sel.Window; w.Limit > 0 {
		q += fmt.Sprintf(" from %q on, at most %d", w.Start, w.Limit)
	}
	return q
}

// hasSelector reports whether a selection picks among the objects of a namespace.
func hasSelector(sel cluster.Selection) bool {
	return sel.Labels != "" || sel.Fields != "" || sel.Name != "" || sel.Window.Limit > 0
}

func inNamespace(namespace string) string {
	if namespace == "" {
		return ""
	}
	return " in " + namespace
}
