package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/find"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/sweep"
)

// sweepRun is a sweep that is under way.
type sweepRun struct {
	*sweepOptions
	served servedTypes
	known  *catalog.Catalog
	types  []stuck.Type
	order  *sweep.Order
	// content are the objects that are deleted before the namespace that they are in, with that namespace.
	content map[stuck.ObjectKey]stuck.Object
	items   []sweep.Item
	gaps    []stuck.Gap
	stuck   []*stuck.Diagnosis
	// refusal is why nothing is deleted.
	refusal string
	// unsaved is why it could not be saved what is left.
	unsaved error
	// unrecorded is why the result of a delete is not in the audit file.
	unrecorded error
}

// Run selects, and with --yes deletes, waits and explains.
func (o *sweepOptions) Run(ctx context.Context) error {
	r := &sweepRun{sweepOptions: o, content: map[stuck.ObjectKey]stuck.Object{}}
	var err error
	if r.served, r.known, err = o.program.loadTypesAndCatalog(ctx, o.source); err != nil {
		return err
	}
	if err := find.CheckClock(o.source); err != nil { // ages decide what is deleted
		return fmt.Errorf("nothing was deleted: %w", err)
	}
	if r.types, err = o.sweptTypes(r.served); err != nil {
		return err
	}
	if err := o.checkSelection(r.types); err != nil {
		return err
	}
	if err := r.find(ctx); err != nil {
		return err
	}
	finish := o.outputFile.redirect(&o.program)
	if r.refusal != "" || !o.yes {
		return withOutputFile(r.printPlan(), finish)
	}
	if err := r.apply(ctx); err != nil {
		return err
	}
	return withOutputFile(r.printResult(), finish)
}

// sweptTypes are the types that the arguments name, namespaces without any.
func (o *sweepOptions) sweptTypes(served servedTypes) (types []stuck.Type, err error) {
	args := o.args
	if len(args) == 0 {
		args = []string{"namespaces"}
	}
	for _, arg := range args {
		targets, err := parseTargets(served, []string{arg})
		if err != nil {
			return nil, err
		}
		for _, t := range targets {
			switch {
			case t.Type.IsSecret():
				return nil, errors.New("sweep reads whole objects, and never a Secret: delete Secrets with their namespace, or with kubectl delete")
			case t.Type.Group == "project.openshift.io":
				return nil, errors.New("sweep deletes no Projects, which stand for namespaces: name the type namespaces")
			case t.Type.Group == "apiextensions.k8s.io":
				return nil, errors.New("sweep deletes no CustomResourceDefinition: the objects of its type in all namespaces, those of the system too, would be deleted with it")
			case !slices.ContainsFunc(types, func(other stuck.Type) bool { return other.GVR() == t.Type.GVR() }):
				types = append(types, t.Type)
			}
		}
	}
	return types, nil
}

// checkSelection refuses labels that only say what is kept, unless something else says what is deleted.
func (o *sweepOptions) checkSelection(swept []stuck.Type) error {
	if !o.selector.SelectsByAbsence() || o.selector.NeedsAnnotation || o.selector.OlderThan > 0 {
		return nil
	}
	if o.namedNamespace && !slices.ContainsFunc(swept, func(t stuck.Type) bool { return !t.Namespaced }) {
		return nil
	}
	return fmt.Errorf("-l %s selects everything without these labels: add a label that the objects have, --older-than, --ttl-annotation, or -n with types that have a namespace", o.selector.Labels)
}

// find selects the objects, and brings them into an order.
func (r *sweepRun) find(ctx context.Context) error {
	r.gaps = slices.Clone(r.served.gaps)
	user, userErr := r.remote.Self.Username(ctx)
	if name, isServiceAccount := strings.CutPrefix(user, "system:serviceaccount:"); isServiceAccount {
		r.selector.OwnNamespace, _, _ = strings.Cut(name, ":")
	}
	isNamespaced := false
	for _, t := range r.types {
		items, err := r.selector.Find(ctx, r.source, t)
		if err != nil {
			return err
		}
		r.items, isNamespaced = append(r.items, items...), isNamespaced || t.Namespaced
	}
	if len(r.items) == 0 && isNamespaced && isNamespaceAbsent(ctx, r.source, r.selector.Namespace) {
		return namespaceNotFound(r.selector.Namespace)
	}
	sweep.KeepNamespaces(r.items)
	if err := r.checkLimits(ctx); err != nil {
		return err
	}
	if err := r.keepNeeded(ctx); err != nil {
		return err
	}
	selected := r.selected(sweep.Delete)
	if userErr != nil && slices.ContainsFunc(selected, stuck.Object.IsNamespace) {
		r.refusal = "the sweep may run in one of the namespaces: " + apitext.ErrorMessage(userErr)
	}
	content, err := sweep.Content(ctx, r.source, r.served.types, selected)
	if err != nil {
		return err
	}
	r.addGaps(content.Gaps)
	deletable, err := r.deletable(ctx, content.Objects)
	if err != nil {
		return err
	}
	controllers, err := r.controllersOf(ctx, selected, deletable)
	if err != nil {
		return err
	}
	r.order = sweep.NewOrder(selected, deletable, controllers)
	r.addContent()
	return nil
}

// checkLimits says why more is selected than may be deleted.
func (r *sweepRun) checkLimits(ctx context.Context) (err error) {
	for _, t := range r.types {
		if r.refusal == "" {
			if r.refusal, err = r.percentRefusal(ctx, t); err != nil {
				return err
			}
		}
	}
	if n := len(r.selected(sweep.Delete)); n > r.maxObjects {
		r.refusal = fmt.Sprintf("%d objects are selected, and --max-objects is %d", n, r.maxObjects)
	}
	return nil
}

// selected are the objects with an action.
func (r *sweepRun) selected(action sweep.Action) (objects []stuck.Object) {
	for _, i := range r.items {
		if i.Action == action {
			objects = append(objects, i.Object)
		}
	}
	return objects
}

// percentRefusal says that too many of the objects of a type are selected.
func (r *sweepRun) percentRefusal(ctx context.Context, t stuck.Type) (string, error) {
	selected := len(slices.DeleteFunc(r.selected(sweep.Delete), func(o stuck.Object) bool { return o.Type.GVR() != t.GVR() }))
	if selected == 0 || r.maxPercent == defaultMaxPercent {
		return "", nil
	}
	all, err := r.selector.Count(ctx, r.source, t)
	if err != nil {
		return "", fmt.Errorf("counting %s for --max-percent: %w", t, err)
	}
	if selected*100 > all*r.maxPercent {
		return fmt.Sprintf("%d of %d %s are selected, and --max-percent is %d", selected, all, t, r.maxPercent), nil
	}
	return "", nil
}

// deletable are the objects of namespaces that the user may delete one by one. The others are left to the namespace controller.
func (r *sweepRun) deletable(ctx context.Context, content []stuck.Object) (objects []stuck.Object, err error) {
	allowed := map[string]bool{}
	mayDelete := func(t stuck.Type, namespace string) (may bool, err error) {
		key := t.String() + stuck.InNamespace(namespace)
		may, asked := allowed[key]
		if !asked {
			may, err = r.remote.Self.Can(ctx, "delete", stuck.Object{Type: t, Namespace: namespace}, "")
			allowed[key] = may
		}
		return may, err
	}
	for _, o := range content {
		may, err := mayDelete(o.Type, "")
		if err == nil && !may { // a RoleBinding may allow it
			may, err = mayDelete(o.Type, o.Namespace)
		}
		if err != nil {
			return nil, err
		}
		if may {
			objects = append(objects, o)
		}
	}
	return objects, nil
}

// addContent adds what is deleted before the namespace that it is in, and brings all into the order in which it is deleted.
func (r *sweepRun) addContent() {
	var ordered []sweep.Item
	namespaces := map[string]stuck.Object{}
	for _, o := range r.selected(sweep.Delete) {
		if o.IsNamespace() {
			namespaces[o.Name] = o
		}
	}
	for _, o := range r.order.All() {
		i := slices.IndexFunc(r.items, func(i sweep.Item) bool { return i.Object.Key() == o.Key() })
		if i >= 0 {
			ordered = append(ordered, r.items[i])
			continue
		}
		r.content[o.Key()] = namespaces[o.Namespace]
		item := sweep.Item{Object: o, Action: sweep.Delete, Reason: "before namespace/" + o.Namespace}
		if o.Deleting() {
			item.Action = sweep.Wait
		}
		ordered = append(ordered, item)
	}
	for _, i := range r.items {
		if i.Action != sweep.Delete {
			ordered = append(ordered, i)
		}
	}
	r.items = ordered
}

// sweep is what there is to print.
func (r *sweepRun) sweep() report.Sweep {
	return report.Sweep{
		Server: r.remote.Cluster.Server, Context: r.remote.Cluster.Context, DryRun: !r.yes, Refusal: r.refusal,
		Items: r.items, Stuck: r.stuck, Gaps: r.gaps,
	}
}
