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

// Deed is what restoring one saved copy takes.
type Deed struct {
	Type  stuck.Type
	Saved Saved
	// Add are the finalizers to put back on the object that is still there;
	// none means that it is created again.
	Add []string
	// Now is the object as it stands, empty if it is gone.
	Now stuck.Object
	// Why says why nothing is done, empty if something is. Refused says that
	// something would have to be, and cannot.
	Why     string
	Refused bool
}

// Undo says what restoring a saved copy takes: finalizers cannot be put on an
// object that is being deleted, and one that is gone is created again with
// them, so that a reinstalled controller can finish what it missed.
func Undo(ctx context.Context, source cluster.Source, see *cluster.View, t stuck.Type, saved Saved) (Deed, error) {
	t.Version = saved.Object.GroupVersionKind().Version // the object is written in the version in which it was saved
	deed := Deed{Type: t, Saved: saved}
	m, err := source.Metadata(ctx, t, saved.Object.GetNamespace(), saved.Object.GetName())
	if cluster.Absent(err) {
		deed.Why = notAgain(see, t, saved.Object.GetNamespace())
		deed.Refused = deed.Why != ""
		return deed, nil
	}
	if err != nil {
		return deed, fmt.Errorf("reading %s/%s: %w", t.One(), saved.Object.GetName(), err)
	}
	deed.Now = cluster.Object(t, m)
	for _, name := range saved.Object.GetFinalizers() {
		if !slices.Contains(m.Finalizers, name) {
			deed.Add = append(deed.Add, name)
		}
	}
	switch {
	case len(deed.Add) == 0:
		deed.Why = "it has all its finalizers"
	case saved.Object.GetUID() != "" && saved.Object.GetUID() != m.UID:
		deed.Why, deed.Refused = "another object of that name has taken its place", true
	case m.DeletionTimestamp != nil:
		deed.Why, deed.Refused = "it is being deleted, which cannot be undone, and takes no new finalizers", true
	}
	return deed, nil
}

// notAgain says why what is gone cannot be created again, empty if it can.
func notAgain(see *cluster.View, t stuck.Type, namespace string) string {
	if t.Group == "" && t.Resource == "secrets" {
		return "it is gone, and of a Secret no contents were saved"
	}
	if namespace == "" {
		return ""
	}
	switch ns := see.Namespace(namespace); {
	case ns.Absent():
		return "its namespace is gone too; create that first: kubectl create namespace " + namespace
	case ns.Found() && ns.Value.DeletionTimestamp != nil:
		return "its namespace is being deleted, and takes nothing new"
	}
	return ""
}

// Unserved is a saved copy of a type that the server does not know, as far as
// could be read.
func Unserved(saved Saved, gaps []stuck.Gap) Deed {
	kind := saved.Object.GroupVersionKind()
	why := fmt.Sprintf("the server does not know %s; install it first", kind.GroupKind())
	if len(gaps) > 0 {
		why = fmt.Sprintf("the server does not tell of %s, and %s could not be read: %s", kind.GroupKind(), gaps[0].Source, gaps[0].Error)
	}
	return Deed{Type: stuck.Type{Group: kind.Group, Kind: kind.Kind, Resource: kind.Kind}, Saved: saved, Why: why, Refused: true}
}

// Ref is the object as kubectl names it.
func (d Deed) Ref() string { return d.Type.One() + "/" + d.Saved.Object.GetName() }

// Request is the write that restores it.
func (d Deed) Request() Request {
	if d.Now.UID != "" {
		return putBack(d.Now, d.Add)
	}
	return create(d.Type, withoutServerFields(d.Saved.Object.DeepCopy()))
}

func (d Deed) entry() Entry {
	request := d.Request()
	e := Entry{
		Object: d.Ref(), Namespace: d.Saved.Object.GetNamespace(), UID: string(d.Now.UID),
		Finalizers: d.Add, Request: request.Verb + " " + request.Path,
	}
	if d.Now.UID == "" {
		e.Finalizers = d.Saved.Object.GetFinalizers()
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

// Place names the object, and the namespace.
func (d Deed) Place() string { return d.Ref() + d.inNamespace() }

// Kind names the type of the object, in the plural, and the namespace.
func (d Deed) Kind() string { return d.Type.String() + d.inNamespace() }

func (d Deed) inNamespace() string {
	if namespace := d.Saved.Object.GetNamespace(); namespace != "" {
		return " in namespace " + namespace
	}
	return ""
}

// What says what is to be done, or why nothing is.
func (d Deed) What() string {
	switch {
	case d.Refused:
		return "cannot be restored: " + d.Why
	case d.Why != "":
		return "nothing to be done: " + d.Why
	case d.Now.UID != "":
		return "put back " + strings.Join(d.Add, ", ")
	}
	text := "create again, with " + strings.Join(d.Saved.Object.GetFinalizers(), ", ")
	if d.Saved.Omitted != "" {
		text += "; but without " + d.Saved.Omitted + ", never saved"
	}
	return text
}
