package cmd

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var namespaceKind = schema.GroupKind{Kind: "Namespace"}

// find surveys what the command asks for.
func (o *listOptions) find(ctx context.Context, see *cluster.View, types []stuck.Type, targets []target, progress *progress) ([]stuck.Object, error) {
	names, err := o.namespaces(ctx, see)
	if err != nil {
		return nil, err
	}
	if len(targets) > 0 {
		see.Note(names.survey.Gaps...) // which namespaces are gone is not known then
		found, err := o.findTargets(ctx, see, targets)
		return ghosts(see, found, names), err
	}
	pass := cluster.Pass{
		Types:     cluster.Surveyed(types, o.namespace),
		Selection: cluster.Selection{Namespace: o.namespace, Labels: o.selector},
		Keep:      func(object stuck.Object) bool { return o.keep(object) || names.without(object) },
		Count:     names.deleting,
		Progress:  progress.show,
	}
	// Namespaces have been read already, unless only some of them are asked for.
	once := o.namespace == "" && o.selector == ""
	if once {
		pass.Types = slices.DeleteFunc(pass.Types, func(t stuck.Type) bool { return t.GroupKind() == namespaceKind })
		pass.Progress = progress.after(1, names.countDeleting())
	}
	survey, err := pass.Run(ctx, o.source)
	if err != nil {
		return nil, err
	}
	if once {
		survey.Join(names.survey, o.keep)
	}
	if o.selector == "" {
		see.Know(o.namespace, &survey)
	} else {
		see.Note(survey.Gaps...)
	}
	found := survey.Kept
	if o.namespace != "" {
		found = append(names.kept, found...)
	}
	return ghosts(see, found, names), nil
}

// keep says whether the survey keeps an object at all.
func (o *listOptions) keep(object stuck.Object) bool {
	return object.Deleting() || o.all && len(object.Finalizers) > 0
}

// names is what is known of the namespaces before the survey.
type names struct {
	known map[string]stuck.Object
	// survey is the pass that read them, where there are more than one.
	survey cluster.Survey
	// complete says that all namespaces in scope could be read. Without that,
	// none can be said to be missing.
	complete bool
	// kept are those that the list itself may show.
	kept []stuck.Object
}

func (n names) deleting(namespace string) bool { return n.known[namespace].Deleting() }

func (n names) countDeleting() int {
	count := 0
	for name := range n.known {
		if n.deleting(name) {
			count++
		}
	}
	return count
}

// without says whether an object lives in a namespace that is not there.
func (n names) without(o stuck.Object) bool {
	_, ok := n.known[o.Namespace]
	return n.complete && o.Namespace != "" && !ok
}

// namespaces reads the namespaces in scope: those being deleted have their
// content counted, and objects in one that does not exist are ghosts.
func (o *listOptions) namespaces(ctx context.Context, see *cluster.View) (names, error) {
	out := names{known: map[string]stuck.Object{}}
	t, ok := see.Type(namespaceKind)
	if !ok {
		return out, nil
	}
	if o.namespace != "" {
		m := see.Metadata(t, "", o.namespace)
		out.complete = m.Found() || m.Absent()
		if m.Found() {
			ns := cluster.Object(t, m.Value)
			out.known[ns.Name] = ns
			if o.keep(ns) && o.selector == "" {
				out.kept = []stuck.Object{ns}
			}
		}
		return out, nil
	}
	var err error
	out.survey, err = cluster.Pass{Types: []stuck.Type{t}, Keep: func(stuck.Object) bool { return true }}.Run(ctx, o.source)
	for _, ns := range out.survey.Kept {
		out.known[ns.Name] = ns
	}
	out.complete = len(out.survey.Gaps) == 0
	return out, err
}

// ghosts marks the objects whose namespace is gone. A namespace may have been
// created after they were listed, so each is asked for once more.
func ghosts(see *cluster.View, found []stuck.Object, names names) []stuck.Object {
	for i := range found {
		if names.without(found[i]) && see.Namespace(found[i].Namespace).Absent() {
			found[i].Ghost = true
		}
	}
	return found
}

// findTargets reads the types and objects that were named.
func (o *listOptions) findTargets(ctx context.Context, see *cluster.View, targets []target) ([]stuck.Object, error) {
	var found []stuck.Object
	for _, t := range targets {
		sel := cluster.Selection{Namespace: o.namespace, Labels: o.selector, Name: t.Name}
		pass := cluster.Pass{Types: []stuck.Type{t.Type}, Selection: sel, Keep: func(object stuck.Object) bool {
			return o.keep(object) || t.Name != ""
		}}
		survey, err := pass.Run(ctx, o.source)
		if err != nil {
			return nil, err
		}
		see.Note(survey.Gaps...)
		if t.Name != "" && len(survey.Kept) == 0 && len(survey.Failed) == 0 {
			return nil, notFound(t, o.namespace)
		}
		found = append(found, survey.Kept...)
	}
	slices.SortFunc(found, stuck.Compare)
	return each(found), nil
}

// each drops objects that two arguments named. Those of some extension APIs
// have no uid: they cannot be told to be one.
func each(objects []stuck.Object) []stuck.Object {
	seen := map[types.UID]bool{}
	return slices.DeleteFunc(objects, func(o stuck.Object) bool {
		twice := o.UID != "" && seen[o.UID]
		seen[o.UID] = true
		return twice
	})
}

func notFound(t target, namespace string) error {
	if t.Type.Namespaced && namespace != "" {
		return notThere(fmt.Sprintf("%s %q not found in namespace %q: it may be gone already, or elsewhere (-n, --context)", t.Type, t.Name, namespace))
	}
	return notThere(fmt.Sprintf("%s %q not found: it may be gone already, or in another cluster (--context)", t.Type, t.Name))
}

// notThere is the error of an object that is not there.
type notThere string

func (n notThere) Error() string { return string(n) }
