package removal

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Saved is a saved copy.
type Saved struct {
	File   string
	Object *unstructured.Unstructured
	// Omitted is what was left out of it on purpose, in words.
	Omitted string
}

// LoadSaved reads a saved copy, or all of a folder.
func LoadSaved(path string) ([]Saved, error) {
	files := []string{path}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("reading the saved copy: %w", err)
	}
	if info.IsDir() {
		if files, err = filepath.Glob(filepath.Join(path, "*.yaml")); err != nil || len(files) == 0 {
			return nil, fmt.Errorf("there are no saved copies in %s", path)
		}
	}
	var out []Saved
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading the saved copy: %w", err)
		}
		object := map[string]any{}
		if err := yaml.Unmarshal(content, &object); err != nil {
			return nil, fmt.Errorf("%s is not a saved copy: %w", file, err)
		}
		u := &unstructured.Unstructured{Object: object}
		if u.GetName() == "" || u.GetKind() == "" || u.GetAPIVersion() == "" {
			return nil, fmt.Errorf("%s is not a saved copy: it has no apiVersion, kind and name", file)
		}
		out = append(out, Saved{File: file, Object: u, Omitted: omittedFrom(content)})
	}
	return out, nil
}

// omittedFrom is what a saved copy says that is not in it.
func omittedFrom(content []byte) string {
	first, _, _ := strings.Cut(string(content), "\n")
	omitted, ok := strings.CutPrefix(first, notSaved)
	if !ok {
		return ""
	}
	return omitted
}

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
func Undo(ctx context.Context, source cluster.Source, t stuck.Type, saved Saved) (Deed, error) {
	deed := Deed{Type: t, Saved: saved}
	m, err := source.Metadata(ctx, t, saved.Object.GetNamespace(), saved.Object.GetName())
	if apierrors.IsNotFound(err) {
		if t.Group == "" && t.Resource == "secrets" {
			deed.Why, deed.Refused = "it is gone, and of a Secret no contents were saved", true
		}
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

// Do restores a saved copy.
func (d Deed) Do(ctx context.Context, w *Writer, dryRun bool) error {
	if d.Now.UID != "" {
		return w.Restore(ctx, d.Now, d.Add, dryRun)
	}
	return w.Create(ctx, d.Type, withoutServerFields(d.Saved.Object.DeepCopy()), dryRun)
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

// String says what the deed is.
func (d Deed) String() string {
	name := d.Type.One() + "/" + d.Saved.Object.GetName()
	switch {
	case d.Why != "":
		return name + ": nothing to be done: " + d.Why
	case d.Now.UID != "":
		return name + ": put back " + strings.Join(d.Add, ", ")
	}
	text := name + ": create it again, with " + strings.Join(d.Saved.Object.GetFinalizers(), ", ")
	if d.Saved.Omitted != "" {
		text += "; but without " + d.Saved.Omitted + ": never saved"
	}
	return text
}
