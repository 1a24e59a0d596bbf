package recording

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Source is a recording that answers again.
type Source struct {
	recording *Recording
	types     []stuck.Type
	answers   map[string]Answer
	// Hide, where set, refuses questions, as for a user who may not ask them.
	Hide func(question string) bool
}

// Source answers from the recording; fresh are the types of a fresh control
// plane.
func (r *Recording) Source(baseTypes []stuck.Type) *Source {
	s := &Source{recording: r, types: slices.Concat(baseTypes, r.Types), answers: map[string]Answer{}}
	for _, a := range r.Answers {
		s.answers[a.Question] = a
	}
	return s
}

// Now is the time of the recording.
func (s *Source) Now() time.Time { return s.recording.Time }

// Version is the version that was recorded.
func (s *Source) Version(context.Context) (string, error) {
	switch {
	case s.isHidden("version"):
		return "", forbiddenError("version")
	case s.recording.Version == "":
		return "", notRecordedError("version")
	}
	return s.recording.Version, nil
}

// Types are the types that were recorded.
func (s *Source) Types(context.Context) ([]stuck.Type, []stuck.Gap, error) {
	return s.types, s.recording.Discovery, nil
}

// Scan visits the objects that were recorded.
func (s *Source) Scan(_ context.Context, t stuck.Type, sel cluster.Selection, visit func(stuck.Object)) error {
	question := selectionQuestion(kindScan, t, sel)
	if _, ok := s.answers[question]; !ok && !s.isHidden(question) && slices.Contains(s.recording.Scanned, sel.Namespace) {
		return nil
	}
	objects, err := s.answer(question)
	for _, object := range objects {
		m := &metav1.PartialObjectMetadata{}
		if err := convert(object, m); err != nil {
			return err
		}
		visit(stuck.ObjectOf(t, m.ObjectMeta))
	}
	return err
}

// Metadata is the metadata that was recorded.
func (s *Source) Metadata(_ context.Context, t stuck.Type, namespace, name string) (*metav1.PartialObjectMetadata, error) {
	object, err := s.singleObject(objectQuestion(kindMetadata, t, namespace, name))
	if err != nil {
		return nil, err
	}
	m := &metav1.PartialObjectMetadata{}
	return m, convert(object, m)
}

// Get is the object that was recorded.
func (s *Source) Get(_ context.Context, t stuck.Type, namespace, name string) (*unstructured.Unstructured, error) {
	object, err := s.singleObject(objectQuestion(kindGet, t, namespace, name))
	if err != nil {
		return nil, err
	}
	return &unstructured.Unstructured{Object: object}, nil
}

// List visits the objects that were recorded.
func (s *Source) List(_ context.Context, t stuck.Type, sel cluster.Selection, visit func(unstructured.Unstructured)) error {
	objects, err := s.answer(selectionQuestion(kindList, t, sel))
	for _, object := range objects {
		visit(unstructured.Unstructured{Object: object})
	}
	return err
}

// Metrics are the open watches that were recorded.
func (s *Source) Metrics(context.Context) (cluster.Metrics, error) {
	objects, err := s.answer(kindWatches)
	m := cluster.Metrics{}
	for _, object := range objects {
		w := cluster.WatchCount{}
		if err := convert(object, &w); err != nil {
			return cluster.Metrics{}, err
		}
		m.Watches = append(m.Watches, w)
	}
	return m, err
}

// MayPatch is whether the user could patch when it was recorded.
func (s *Source) MayPatch(_ context.Context, t stuck.Type, namespace, name string) (bool, error) {
	object, err := s.singleObject(mayPatchQuestion(t, namespace, name))
	if err != nil {
		return false, err
	}
	return object["allowed"] == true, nil
}

// Probe is what came of a dry run when it was recorded.
func (s *Source) Probe(_ context.Context, o stuck.Object) error {
	_, err := s.answer(objectQuestion(kindProbe, o.Type, o.Namespace, o.Name))
	return err
}

func (s *Source) singleObject(question string) (map[string]any, error) {
	objects, err := s.answer(question)
	if err == nil && len(objects) != 1 {
		return nil, fmt.Errorf("the recording has %d answers to %q", len(objects), question)
	}
	if err != nil {
		return nil, err
	}
	return objects[0], nil
}

func (s *Source) answer(question string) ([]map[string]any, error) {
	a, ok := s.answers[question]
	switch {
	case s.isHidden(question):
		return nil, forbiddenError(question)
	case !ok:
		return nil, notRecordedError(question)
	case a.Error != nil:
		return nil, &apierrors.StatusError{ErrStatus: *a.Error}
	case a.Failure != "":
		return nil, errors.New(a.Failure)
	}
	return a.Objects, nil
}

func (s *Source) isHidden(question string) bool { return s.Hide != nil && s.Hide(question) }

func forbiddenError(question string) error {
	return apierrors.NewForbidden(schema.GroupResource{}, "", fmt.Errorf("may not %s", question))
}

// notRecordedError shows in every output that should have been something else.
func notRecordedError(question string) error {
	return fmt.Errorf("not in the recording, make golden records it anew: %s", strings.TrimSpace(question))
}

func convert(object map[string]any, to any) error {
	return runtime.DefaultUnstructuredConverter.FromUnstructured(object, to)
}
