package removal

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/yamltext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// RestoreStep is what restoring one saved copy takes.
type RestoreStep struct {
	Type      stuck.Type
	SavedCopy SavedCopy
	// Add are the finalizers to add to the object that still exists; none means that it
	// is recreated.
	Add []string
	// Current is the object as it is now, empty if it does not exist.
	Current stuck.Object
	// Reason says why nothing is done, empty if something is. Refused says that
	// something would have to be, and cannot.
	Reason  string
	Refused bool
	// Fix is what to do first where it is refused, empty if nothing helps.
	Fix stuck.Step
}

// PlanRestore says what restoring a saved copy takes: no finalizer can be added to an
// object that is being deleted, and one that was deleted is recreated with them, so
// that a reinstalled controller can do the cleanup that was skipped.
func PlanRestore(ctx context.Context, source cluster.Source, view *cluster.View, t stuck.Type, saved SavedCopy) (RestoreStep, error) {
	preferred := t.Version
	t.Version = saved.Object.GroupVersionKind().Version // the object is written in the version in which it was saved
	step := RestoreStep{Type: t, SavedCopy: saved}
	m, err := source.Metadata(ctx, t, saved.Object.GetNamespace(), saved.Object.GetName())
	if cluster.IsObjectNotFound(err) {
		step.Reason, step.Fix = whyNotRecreatable(view, t, saved.Object.GetNamespace())
		step.Refused = step.Reason != ""
		return step, nil
	}
	if err != nil && cluster.ConfirmUnserved(ctx, source, t, err) == nil {
		step.Reason, step.Refused = versionUnserved(t, preferred), true
		return step, nil
	}
	if err != nil {
		return step, fmt.Errorf("reading %s/%s: %w", t.Singular(), saved.Object.GetName(), err)
	}
	recreated := false
	if m.UID != saved.Object.GetUID() {
		found, err := findCreated(ctx, source, t, saved, m)
		if err != nil {
			return step, fmt.Errorf("reading %s/%s: %w", t.Singular(), saved.Object.GetName(), err)
		}
		if found != isRestored {
			step.Reason, step.Refused = errReplaced.Error(), true
			return step, nil
		}
		recreated = true
	}
	step.Current = stuck.ObjectOf(t, m.ObjectMeta)
	step.Add = exclude(saved.Object.GetFinalizers(), m.Finalizers)
	step.Reason, step.Refused = whyNotChanged(step.Current, step.Add, recreated)
	return step, nil
}

// whyNotChanged says why nothing is done to an object that still exists, or that restore
// has recreated before; empty if finalizers are added to it.
func whyNotChanged(current stuck.Object, add []string, recreated bool) (reason string, refused bool) {
	switch {
	case current.Deleting() && len(add) == 0:
		return "it is being deleted, which cannot be undone; it has all its finalizers", true
	case current.Deleting():
		return "it is being deleted, which cannot be undone, and no finalizer can be added", true
	case len(add) > 0:
		return "", false
	case recreated:
		return "restore has recreated it, and it has all its finalizers", false
	}
	return "it has all its finalizers", false
}

// whyNotRecreatable says why a deleted object cannot be recreated, empty if it can, and
// what to do about it.
func whyNotRecreatable(view *cluster.View, t stuck.Type, namespace string) (reason string, fix stuck.Step) {
	if t.Group == "" && t.Resource == "secrets" {
		return "it was deleted, and the data of a Secret is never saved", fix
	}
	if namespace == "" {
		return "", fix
	}
	switch ns := view.Namespace(namespace); {
	case ns.Absent():
		return "its namespace does not exist", stuck.Step{
			Action: stuck.ActionChange, Description: "create it first", Command: stuck.Shellf("kubectl create namespace %s", namespace),
		}
	case ns.Found() && ns.Value.DeletionTimestamp != nil:
		return "its namespace is being deleted, so nothing can be created in it", fix
	}
	return "", fix
}

// UnservedStep is a saved copy of a type that the server does not know, as far as
// could be read.
func UnservedStep(saved SavedCopy, gaps []stuck.Gap) RestoreStep {
	kind := saved.Object.GroupVersionKind()
	reason := fmt.Sprintf("the API server does not serve %s; install its CustomResourceDefinition first", kind.GroupKind())
	if len(gaps) > 0 {
		reason = fmt.Sprintf("the API server does not list %s, and %s could not be read: %s", kind.GroupKind(), gaps[0].Source, gaps[0].Error)
	}
	return RestoreStep{Type: stuck.Type{Group: kind.Group, Kind: kind.Kind, Resource: kind.Kind}, SavedCopy: saved, Reason: reason, Refused: true}
}

// versionUnserved says that the version of a saved copy is not served, as after an upgrade,
// and what to do about it.
func versionUnserved(t stuck.Type, preferred string) string {
	reason := fmt.Sprintf("the API server does not serve version %s of %s, in which the copy was saved", t.Version, t)
	if preferred == t.Version {
		return reason // the type was deleted meanwhile
	}
	return fmt.Sprintf("%s; it serves %s: serve %s again, or convert the copy to %s and restore it with --allow-unverified", reason, preferred, t.Version, preferred)
}

// Ref is the object as kubectl names it.
func (s RestoreStep) Ref() string { return s.Type.Singular() + "/" + s.SavedCopy.Object.GetName() }

// Request is the write that restores it.
func (s RestoreStep) Request() Request {
	if s.Current.UID != "" {
		return addFinalizersRequest(s.Current, s.Add)
	}
	return createRequest(s.Type, withoutServerFields(s.SavedCopy.Object.DeepCopy()))
}

func (s RestoreStep) auditEntry() AuditEntry {
	request := s.Request()
	e := AuditEntry{
		Object: s.Ref(), Namespace: s.SavedCopy.Object.GetNamespace(), UID: string(s.Current.UID),
		Finalizers: s.Add, Request: request.Verb + " " + request.Path,
	}
	if s.Current.UID == "" {
		e.Finalizers = s.SavedCopy.Object.GetFinalizers()
	}
	return e
}

// withoutServerFields leaves of an object what a client may write.
func withoutServerFields(o *unstructured.Unstructured) *unstructured.Unstructured {
	for _, field := range []string{
		"uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
		"generation", "managedFields", "selfLink", "ownerReferences",
	} {
		unstructured.RemoveNestedField(o.Object, "metadata", field)
	}
	unstructured.RemoveNestedField(o.Object, "status")
	return o
}

// RefInNamespace is the object with its namespace.
func (s RestoreStep) RefInNamespace() string {
	return s.Ref() + stuck.InNamespace(s.SavedCopy.Object.GetNamespace())
}

// TypeInNamespace is the type of the object, in the plural, with its namespace.
func (s RestoreStep) TypeInNamespace() string {
	return s.Type.String() + stuck.InNamespace(s.SavedCopy.Object.GetNamespace())
}

// IsPrivileged reports whether creating the object gives rights, runs programs, or
// changes what the API server does: then it is to be seen whole, not just its
// name.
func (s RestoreStep) IsPrivileged() bool {
	switch s.Type.Group {
	case "rbac.authorization.k8s.io", "admissionregistration.k8s.io", "apiregistration.k8s.io", "apiextensions.k8s.io", "apps", "batch":
		return true
	case "":
		return s.Type.Resource == "pods" || s.Type.Resource == "replicationcontrollers"
	}
	return false
}

// RestoreAction is what a step does.
type RestoreAction string

// The actions.
const (
	// Recreate creates the object, with its finalizers.
	Recreate RestoreAction = "Recreate"
	// AddFinalizers adds finalizers to the object, which still exists.
	AddFinalizers RestoreAction = "AddFinalizers"
	// NoAction means that the object is as it was.
	NoAction RestoreAction = "None"
	// Refuse means that the object cannot be restored.
	Refuse RestoreAction = "Refuse"
)

// Action is what the step does.
func (s RestoreStep) Action() RestoreAction {
	switch {
	case s.Refused:
		return Refuse
	case s.Reason != "":
		return NoAction
	case s.Current.UID != "":
		return AddFinalizers
	}
	return Recreate
}

// Finalizers are those that the object gets.
func (s RestoreStep) Finalizers() []string {
	switch s.Action() {
	case AddFinalizers:
		return s.Add
	case Recreate:
		return s.SavedCopy.Object.GetFinalizers()
	}
	return nil
}

// Manifest is the object as it would be created, as YAML.
func (s RestoreStep) Manifest() (string, error) {
	text, err := yamltext.Marshal(s.Request().Body)
	if err != nil {
		return "", fmt.Errorf("printing %s: %w", s.Ref(), err)
	}
	return string(text), nil
}
