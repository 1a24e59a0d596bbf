package removal

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// RestoreStep is what restoring one saved copy takes.
type RestoreStep struct {
	Type      stuck.Type
	SavedCopy SavedCopy
	// Add are the finalizers to put back on the object that is still there;
	// none means that it is created again.
	Add []string
	// Current is the object as it stands, empty if it is gone.
	Current stuck.Object
	// Reason says why nothing is done, empty if something is. Refused says that
	// something would have to be, and cannot.
	Reason  string
	Refused bool
}

// PlanRestore says what restoring a saved copy takes: finalizers cannot be put on an
// object that is being deleted, and one that is gone is created again with
// them, so that a reinstalled controller can finish what it missed.
func PlanRestore(ctx context.Context, source cluster.Source, view *cluster.View, t stuck.Type, saved SavedCopy) (RestoreStep, error) {
	t.Version = saved.Object.GroupVersionKind().Version // the object is written in the version in which it was saved
	step := RestoreStep{Type: t, SavedCopy: saved}
	m, err := source.Metadata(ctx, t, saved.Object.GetNamespace(), saved.Object.GetName())
	if cluster.IsObjectNotFound(err) {
		step.Reason = whyNotRecreatable(view, t, saved.Object.GetNamespace())
		step.Refused = step.Reason != ""
		return step, nil
	}
	if err != nil {
		return step, fmt.Errorf("reading %s/%s: %w", t.Singular(), saved.Object.GetName(), err)
	}
	step.Current = stuck.ObjectOf(t, m.ObjectMeta)
	for _, name := range saved.Object.GetFinalizers() {
		if !slices.Contains(m.Finalizers, name) {
			step.Add = append(step.Add, name)
		}
	}
	switch {
	case len(step.Add) == 0:
		step.Reason = "it has all its finalizers"
	case saved.Object.GetUID() != "" && saved.Object.GetUID() != m.UID:
		step.Reason, step.Refused = "another object of that name has taken its place", true
	case m.DeletionTimestamp != nil:
		step.Reason, step.Refused = "it is being deleted, which cannot be undone, and takes no new finalizers", true
	}
	return step, nil
}

// whyNotRecreatable says why what is gone cannot be created again, empty if it can.
func whyNotRecreatable(view *cluster.View, t stuck.Type, namespace string) string {
	if t.Group == "" && t.Resource == "secrets" {
		return "it is gone, and of a Secret no contents were saved"
	}
	if namespace == "" {
		return ""
	}
	switch ns := view.Namespace(namespace); {
	case ns.Absent():
		return "its namespace is gone too; create that first: " + stuck.Shellf("kubectl create namespace %s", namespace)
	case ns.Found() && ns.Value.DeletionTimestamp != nil:
		return "its namespace is being deleted, and takes nothing new"
	}
	return ""
}

// UnservedStep is a saved copy of a type that the server does not know, as far as
// could be read.
func UnservedStep(saved SavedCopy, gaps []stuck.Gap) RestoreStep {
	kind := saved.Object.GroupVersionKind()
	reason := fmt.Sprintf("the server does not know %s; install it first", kind.GroupKind())
	if len(gaps) > 0 {
		reason = fmt.Sprintf("the server does not tell of %s, and %s could not be read: %s", kind.GroupKind(), gaps[0].Source, gaps[0].Error)
	}
	return RestoreStep{Type: stuck.Type{Group: kind.Group, Kind: kind.Kind, Resource: kind.Kind}, SavedCopy: saved, Reason: reason, Refused: true}
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

// RefInNamespace names the object, and the namespace.
func (s RestoreStep) RefInNamespace() string { return s.Ref() + s.inNamespace() }

// TypeInNamespace names the type of the object, in the plural, and the namespace.
func (s RestoreStep) TypeInNamespace() string { return s.Type.String() + s.inNamespace() }

func (s RestoreStep) inNamespace() string {
	if namespace := s.SavedCopy.Object.GetNamespace(); namespace != "" {
		return " -n " + namespace
	}
	return ""
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

// Creates reports whether the object is created again.
func (s RestoreStep) Creates() bool { return s.Reason == "" && s.Current.UID == "" }

// Description says what is to be done, or why nothing is.
func (s RestoreStep) Description() string {
	switch {
	case s.Refused:
		return "cannot be restored: " + s.Reason
	case s.Reason != "":
		return "nothing to be done: " + s.Reason
	case s.Current.UID != "":
		return "put back " + strings.Join(s.Add, ", ")
	}
	text := "create again, with " + strings.Join(s.SavedCopy.Object.GetFinalizers(), ", ")
	if s.SavedCopy.Omitted != "" {
		text += "; but without " + s.SavedCopy.Omitted + ", never saved"
	}
	return text
}
