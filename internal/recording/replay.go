package recording

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
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
	// whole are the objects that were read whole.
	whole map[objectKey]map[string]any
	// Hide, where set, refuses questions, as for a user who may not ask them.
	Hide func(question string) bool

	mu         sync.Mutex
	unrecorded map[string]bool
}

// Source answers from the recording; baseTypes are the types of a fresh control
// plane.
func (r *Recording) Source(baseTypes []stuck.Type) *Source {
	s := &Source{recording: r, types: slices.Concat(baseTypes, r.Types), answers: map[string]Answer{}, unrecorded: map[string]bool{}}
	for _, a := range r.Answers {
		s.answers[a.Question] = a
	}
	s.whole = indexWhole(s.answers)
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
		return "", s.unrecordedError("version")
	}
	return s.recording.Version, nil
}

// Types are the types that were recorded.
func (s *Source) Types(context.Context) ([]stuck.Type, []stuck.Gap, error) {
	return s.types, s.recording.Discovery, nil
}

// Serves is whether discovery named a type when it was recorded. It was asked
// only about types that were answered with 404 or 405; none is in the older
// recordings, in which such a type was gone.
func (s *Source) Serves(_ context.Context, t stuck.Type) (bool, error) {
	question := kindServes + " " + t.String()
	if _, ok := s.answers[question]; !ok {
		return false, nil
	}
	object, err := single(s.answer(question, nothing))
	return object["served"] == true, err
}

// Scan visits the objects that were recorded.
func (s *Source) Scan(_ context.Context, t stuck.Type, sel cluster.Selection, visit func(stuck.Object)) error {
	objects, err := s.selected(kindScan, t, sel)
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
	object, err := s.object(kindMetadata, t, namespace, name)
	if err != nil {
		return nil, err
	}
	m := &metav1.PartialObjectMetadata{}
	return m, convert(object, m)
}

// Get is the object that was recorded.
func (s *Source) Get(_ context.Context, t stuck.Type, namespace, name string) (*unstructured.Unstructured, error) {
	object, err := s.object(kindGet, t, namespace, name)
	if err != nil {
		return nil, err
	}
	return &unstructured.Unstructured{Object: object}, nil
}

// List visits the objects that were recorded.
func (s *Source) List(_ context.Context, t stuck.Type, sel cluster.Selection, visit func(unstructured.Unstructured)) error {
	objects, err := s.selected(kindList, t, sel)
	for _, object := range objects {
		visit(unstructured.Unstructured{Object: object})
	}
	return err
}

// ListTime is how long a list took when it was recorded.
func (s *Source) ListTime(_ context.Context, t stuck.Type, namespace string) (time.Duration, error) {
	object, err := single(s.answer(selectionQuestion(kindListTime, t, cluster.Selection{Namespace: namespace}), nothing))
	if err != nil {
		return 0, err
	}
	took, _ := object["took"].(string)
	return time.ParseDuration(took)
}

// Metrics are the open watches that were recorded.
func (s *Source) Metrics(context.Context) (cluster.Metrics, error) {
	objects, err := s.answer(kindWatches, nothing)
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
	object, err := single(s.answer(mayPatchQuestion(t, namespace, name), nothing))
	if err != nil {
		return false, err
	}
	return object["allowed"] == true, nil
}

// Probe is what came of a dry run when it was recorded.
func (s *Source) Probe(_ context.Context, o stuck.Object) error {
	_, err := s.answer(objectQuestion(kindProbe, o.Type, o.Namespace, o.Name), nothing)
	return err
}

// object is the answer about one object.
func (s *Source) object(kind string, t stuck.Type, namespace, name string) (map[string]any, error) {
	return single(s.answer(objectQuestion(kind, t, namespace, name), func() (Answer, bool) {
		return s.impliedObject(kind, t, namespace, name)
	}))
}

// selected is the answer about the objects of a type.
func (s *Source) selected(kind string, t stuck.Type, sel cluster.Selection) ([]map[string]any, error) {
	return s.answer(selectionQuestion(kind, t, sel), func() (Answer, bool) {
		if kind == kindScan && !hasSelector(sel) && s.surveyed(t, sel.Namespace) {
			return Answer{}, true
		}
		return s.impliedObjects(kind, t, sel)
	})
}

func single(objects []map[string]any, err error) (map[string]any, error) {
	if err == nil && len(objects) != 1 {
		return nil, fmt.Errorf("the recording has %d objects where there is one", len(objects))
	}
	if err != nil {
		return nil, err
	}
	return objects[0], nil
}

// answer is what was recorded for a question, or else what is implied by what was.
func (s *Source) answer(question string, implied func() (Answer, bool)) ([]map[string]any, error) {
	if s.isHidden(question) {
		return nil, forbiddenError(question)
	}
	a, ok := s.answers[question]
	if !ok {
		a, ok = implied()
	}
	switch {
	case !ok:
		return nil, s.unrecordedError(question)
	case a.Error != nil:
		return nil, &apierrors.StatusError{ErrStatus: *a.Error}
	case a.Failure != "":
		return nil, errors.New(a.Failure)
	}
	return a.Objects, nil
}

// nothing is implied of what was not asked.
func nothing() (Answer, bool) { return Answer{}, false }

func (s *Source) isHidden(question string) bool { return s.Hide != nil && s.Hide(question) }

func forbiddenError(question string) error {
	return apierrors.NewForbidden(schema.GroupResource{}, "", fmt.Errorf("may not %s", question))
}

func convert(object map[string]any, to any) error {
	return runtime.DefaultUnstructuredConverter.FromUnstructured(object, to)
}
