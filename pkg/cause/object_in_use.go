package cause

import (
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ObjectInUse holds an object that other objects use, and whose finalizer guards it
// for as long. Which objects use it, and by which field, is the catalog's knowledge
// (usedBy).
var ObjectInUse = kit.Cause{
	ID:    "in-use",
	Title: "Other objects use the object, and its finalizer protects it from deletion",
	Doc: kit.Doc{
		Symptoms: "The finalizer protects an object that is in use. Other objects, which are not being deleted, name the object in their spec.",
		Why:      "The controller keeps the object while other objects use it, so that these objects do not break.",
		Fix:      "Delete the objects that use this object, or change them to use another object.",
		IfForced: "The objects that use this object then refer to an object that does not exist.",
	},
	ControllerNext: true,
	ByEntry: func(view *cluster.View, known kit.KnownFinalizer) []stuck.Finding {
		var users []user
		for _, usage := range known.Entry.UsedBy {
			for _, o := range usersOf(view, known.Object, usage) {
				if !slices.ContainsFunc(users, func(other user) bool { return other.UID == o.UID }) {
					users = append(users, user{o, usage})
				}
			}
		}
		if len(users) == 0 {
			return nil
		}
		slices.SortFunc(users, func(a, b user) int { return stuck.Compare(a.Object, b.Object) })
		return []stuck.Finding{objectInUseFinding(known, users)}
	},
}

// user is an object that uses another, and how.
type user struct {
	stuck.Object
	usage catalog.Usage
}

// usersOf are the objects of a type that use an object.
func usersOf(view *cluster.View, o stuck.Object, usage catalog.Usage) []stuck.Object {
	t, served := view.TypeForKindOrGap(usage.Type.GroupKind())
	if !served {
		return nil
	}
	var sel cluster.Selection
	if t.Namespaced && o.Namespace != "" && usage.Namespace == "" {
		sel.Namespace = o.Namespace
	}
	key := fmt.Sprintf("%+v of %s %s/%s", usage, o.Type, o.Namespace, o.Name)
	return view.SelectObjects(t, sel, key, func(content map[string]any) bool {
		return usage.Uses(content, o.Type.Kind, o.Namespace, o.Name)
	}).Items
}

func objectInUseFinding(known kit.KnownFinalizer, users []user) stuck.Finding {
	var all []stuck.Object
	for _, u := range users {
		all = append(all, u.Object)
	}
	deleting, left := kit.SplitByDeleting(all)
	f := stuck.Finding{
		Message:   kit.CountByType(all) + " " + plural(all, "uses", "use") + " the object",
		BlockedBy: kit.CulpritAmong(all, known.Object),
		Certainty: stuck.Confirmed,
		Explains:  []string{known.Finalizer},
		WaitsFor:  deleting,
		OnForce:   stuck.UnknownCost(known.Finalizer),
	}
	if len(left) == 0 {
		return f
	}
	f.Verdict = stuck.Blocked
	users = slices.DeleteFunc(users, func(u user) bool { return u.Deleting() })
	for i, u := range users {
		if i == stuck.MaxUngrouped {
			f.Evidence = append(f.Evidence, fmt.Sprintf("and %d more", len(users)-i))
			break
		}
		f.Evidence = append(f.Evidence, kit.NotDeletedLines([]stuck.Object{u.Object}, u.usage.UsesText())...)
		f.Steps = append(f.Steps, releaseStep(u))
	}
	f.OnlyWaits = !slices.ContainsFunc(users, func(u user) bool { return !u.usage.Transient })
	return f
}

// releaseStep is what to do so that a user does not use the object.
func releaseStep(u user) stuck.Step {
	if u.usage.Release == nil {
		return stuck.Step{
			Action:      stuck.ActionDelete,
			Description: fmt.Sprintf("delete %s if it and what it stands for are no longer needed, or change it to use another object", u.RefInNamespace()),
			Command:     stuck.Kubectlf(u.Namespace, "delete %s", u.Ref()),
		}
	}
	step := *u.usage.Release
	step.Command = stuck.FillCommand(step.Command, map[string]string{"user": u.Name, "namespace": u.Namespace})
	return step
}

func plural(objects []stuck.Object, one, many string) string {
	if len(objects) == 1 {
		return one
	}
	return many
}
