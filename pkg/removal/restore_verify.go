package removal

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// restoreState says what the object shows of a write whose answer does not say whether it
// was done.
type restoreState int

const (
	notRestored restoreState = iota
	isRestored
	// isReplaced means that another object has the name.
	isReplaced
	// restoreUnverified means that the object could not be read.
	restoreUnverified
)

// errReplaced is final.
var errReplaced = errors.New("another object has its name now")

// unconfirmedError is an error of a write of which it is not known whether it was done.
type unconfirmedError struct {
	err  error
	seen string
}

func (e unconfirmedError) Error() string {
	return fmt.Sprintf("%s; it is not known whether it was written: %s", apitext.ErrorMessage(e.err), e.seen)
}

func (e unconfirmedError) Unwrap() error { return e.err }

// restoreError is what is left of an error of a write once it was looked for.
func restoreError(err error, found restoreState, lookErr error) error {
	switch {
	case found == isRestored:
		return nil
	case found == isReplaced:
		return errReplaced
	case found == restoreUnverified && err == nil:
		return unconfirmedError{lookErr, "it could not be read"}
	case found == restoreUnverified:
		return unconfirmedError{err, "it could not be read: " + apitext.ErrorMessage(lookErr)}
	case mayBeWritten(err):
		return unconfirmedError{err, "the object does not show it"}
	}
	return err
}

// verifyRestored reads whether the write of a step was done.
func (r *RestoreRun) verifyRestored(ctx context.Context, step RestoreStep) (restoreState, error) {
	saved := step.SavedCopy.Object
	m, err := r.Source.Metadata(ctx, step.Type, saved.GetNamespace(), saved.GetName())
	switch {
	case cluster.IsObjectNotFound(err):
		return notRestored, nil
	case err != nil:
		return restoreUnverified, err
	case step.Current.UID != "" && m.UID != step.Current.UID:
		return isReplaced, nil
	case step.Current.UID == "":
		return findCreated(ctx, r.Source, step.Type, step.SavedCopy, m)
	}
	for _, name := range step.Add {
		if !slices.Contains(m.Finalizers, name) {
			return notRestored, nil
		}
	}
	return isRestored, nil
}

// confirmRestored reads what was written: a controller, or a webhook, may have undone it at once.
func (r *RestoreRun) confirmRestored(ctx context.Context, step RestoreStep) error {
	saved := step.SavedCopy.Object
	m, err := r.Source.Metadata(ctx, step.Type, saved.GetNamespace(), saved.GetName())
	switch {
	case cluster.IsObjectNotFound(err):
		return errors.New("written, but it was deleted again")
	case err != nil:
		return fmt.Errorf("written, but it could not be read again: %s", apitext.ErrorMessage(err))
	case step.Current.UID != "" && m.UID != step.Current.UID:
		return errReplaced
	}
	if missing := exclude(step.Finalizers(), m.Finalizers); len(missing) > 0 {
		return fmt.Errorf("written, but %s was removed again", strings.Join(missing, ", "))
	}
	return nil
}

// findCreated distinguishes the object that restore created from one that another client
// has created under the same name: by its field managers, and where it has none, by its
// contents.
func findCreated(ctx context.Context, source cluster.Source, t stuck.Type, saved SavedCopy, m *metav1.PartialObjectMetadata) (restoreState, error) {
	switch {
	case t.IsSecret():
		return isReplaced, nil // no Secret is created: its data is never saved
	case slices.ContainsFunc(m.ManagedFields, func(e metav1.ManagedFieldsEntry) bool { return e.Manager == fieldManager }):
		return isRestored, nil
	case len(m.ManagedFields) > 0:
		return isReplaced, nil
	}
	current, err := source.Get(ctx, t, m.Namespace, m.Name)
	if err != nil {
		return restoreUnverified, err
	}
	if containsFields(current.Object, withoutServerFields(saved.Object.DeepCopy()).Object) {
		return isRestored, nil
	}
	return isReplaced, nil
}

// containsFields reports whether an object has all that was sent of it; the API
// server may have filled in more.
func containsFields(current, sent map[string]any) bool {
	for name, want := range sent {
		fields, nested := want.(map[string]any)
		got, ok := current[name]
		if !nested {
			if !ok || !reflect.DeepEqual(got, want) {
				return false
			}
			continue
		}
		gotFields, _ := got.(map[string]any) // none are those of an empty one
		if !containsFields(gotFields, fields) {
			return false
		}
	}
	return true
}
