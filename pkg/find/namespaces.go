package find

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// NamespaceKind is the kind of namespaces.
var NamespaceKind = schema.GroupKind{Kind: "Namespace"}

// Namespaces is what is known of the namespaces before the survey.
type Namespaces struct {
	// Gaps are the reads that failed: without them it is not known which namespaces exist.
	Gaps   []stuck.Gap
	byName map[string]stuck.Object
	// survey is the pass that read them, where there are more than one.
	survey cluster.Survey
	// complete says that all namespaces in scope could be read. Without that,
	// none can be said to be missing.
	complete bool
	// listed are those that the list itself may show.
	listed []stuck.Object
}

func (n Namespaces) isDeleting(namespace string) bool { return n.byName[namespace].Deleting() }

func (n Namespaces) countDeleting() int {
	count := 0
	for name := range n.byName {
		if n.isDeleting(name) {
			count++
		}
	}
	return count
}

// lacksNamespaceOf reports whether the namespace of an object does not exist.
func (n Namespaces) lacksNamespaceOf(o stuck.Object) bool {
	_, ok := n.byName[o.Namespace]
	return n.complete && o.Namespace != "" && !ok
}

// Namespaces reads the namespaces in scope: those being deleted have their
// content counted, and objects in one that does not exist are marked.
func (r Request) Namespaces(ctx context.Context, view *cluster.View) (Namespaces, error) {
	out := Namespaces{byName: map[string]stuck.Object{}}
	t, ok := view.TypeForKind(NamespaceKind)
	if !ok {
		return out, nil
	}
	if r.Namespace != "" {
		m := view.Metadata(t, "", r.Namespace)
		out.complete = m.Found() || m.Absent()
		if m.Found() {
			ns := stuck.ObjectOf(t, m.Value.ObjectMeta)
			out.byName[ns.Name] = ns
			if r.Keep(ns) && r.Labels == "" {
				out.listed = []stuck.Object{ns}
			}
		}
		return out, nil
	}
	var err error
	out.survey, err = cluster.SurveyRequest{Types: []stuck.Type{t}, Keep: func(stuck.Object) bool { return true }}.Run(ctx, r.Source)
	for _, ns := range out.survey.Objects {
		out.byName[ns.Name] = ns
	}
	out.Gaps = out.survey.Gaps
	out.complete = len(out.Gaps) == 0
	return out, err
}

// MarkMissing marks the objects whose namespace does not exist. A namespace may
// have been created after they were listed, so each is read again.
func (n Namespaces) MarkMissing(view *cluster.View, found []stuck.Object) []stuck.Object {
	for i := range found {
		if n.lacksNamespaceOf(found[i]) && view.Namespace(found[i].Namespace).Absent() {
			found[i].NamespaceMissing = true
		}
	}
	return found
}

// NamespaceMissing reports whether a namespace does not exist. No name means all namespaces.
func NamespaceMissing(view *cluster.View, namespace string) bool {
	t, ok := view.TypeForKind(NamespaceKind)
	return ok && namespace != "" && view.Metadata(t, "", namespace).Absent()
}
