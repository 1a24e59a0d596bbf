package recording

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Recorder is a source that remembers every answer of another.
type Recorder struct {
	source cluster.Source
	// baseTypes are the types that need not be written down again.
	baseTypes []stuck.Type
	// startTime is the one time at which everything is said to have happened.
	startTime time.Time

	mu      sync.Mutex
	answers map[string]Answer
	// scans are the scans without a selector, by their question.
	scans   map[string]wholeScan
	types   []stuck.Type
	gaps    []stuck.Gap
	version string
}

// NewRecorder wraps a source.
func NewRecorder(source cluster.Source, baseTypes []stuck.Type) *Recorder {
	return &Recorder{source: source, baseTypes: baseTypes, answers: map[string]Answer{}, scans: map[string]wholeScan{}}
}

func (r *Recorder) record(question string, objects []map[string]any, err error) {
	a := Answer{Question: question, Objects: objects}
	var status apierrors.APIStatus
	switch {
	case errors.As(err, &status):
		s := status.Status()
		a.Error = &s
	case err != nil:
		a.Failure = err.Error()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers[question] = a
}

// Now stands still once it has been asked: all ages of a recording are told by
// one clock.
func (r *Recorder) Now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.startTime.IsZero() {
		r.startTime = r.source.Now().UTC().Truncate(time.Second)
	}
	return r.startTime
}

// Version records the version.
func (r *Recorder) Version(ctx context.Context) (string, error) {
	version, err := r.source.Version(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.version = version
	return version, err
}

// Types records the types and the gaps of discovery.
func (r *Recorder) Types(ctx context.Context) ([]stuck.Type, []stuck.Gap, error) {
	types, gaps, err := r.source.Types(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.types, r.gaps = types, gaps
	return types, gaps, err
}

// Serves records whether discovery names a type.
func (r *Recorder) Serves(ctx context.Context, t stuck.Type) (bool, error) {
	served, err := r.source.Serves(ctx, t)
	r.record(kindServes+" "+t.String(), []map[string]any{{"served": served}}, err)
	return served, err
}

// Scan records the objects that a scan visited.
func (r *Recorder) Scan(ctx context.Context, t stuck.Type, sel cluster.Selection, visit func(stuck.Object)) error {
	var objects []map[string]any
	err := r.source.Scan(ctx, t, sel, func(o stuck.Object) {
		visit(o)
		objects = append(objects, toMap(metadataOf(o)))
	})
	if !hasSelector(sel) {
		r.noteScan(t, sel.Namespace)
	}
	r.record(selectionQuestion(kindScan, t, sel), objects, err)
	return err
}

// metadataOf is the metadata that an object was made of.
func metadataOf(o stuck.Object) *metav1.PartialObjectMetadata {
	m := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Name: o.Name, Namespace: o.Namespace, UID: o.UID, CreationTimestamp: metav1.NewTime(o.CreationTime), Finalizers: o.Finalizers,
		DeletionGracePeriodSeconds: o.DeletionGracePeriodSeconds,
	}}
	if o.Deleting() {
		deleted := metav1.NewTime(o.DeletionTime)
		m.DeletionTimestamp = &deleted
	}
	for _, w := range o.Owners {
		ref := metav1.OwnerReference{Kind: w.Kind, Name: w.Name, UID: w.UID}
		if w.Controller {
			ref.Controller = &w.Controller
		}
		if w.BlockOwnerDeletion {
			ref.BlockOwnerDeletion = &w.BlockOwnerDeletion
		}
		m.OwnerReferences = append(m.OwnerReferences, ref)
	}
	return m
}

// Metadata records the metadata of an object.
func (r *Recorder) Metadata(ctx context.Context, t stuck.Type, namespace, name string) (*metav1.PartialObjectMetadata, error) {
	m, err := r.source.Metadata(ctx, t, namespace, name)
	r.record(objectQuestion(kindMetadata, t, namespace, name), objectsOf(m, err), err)
	return m, err
}

// Get records an object.
func (r *Recorder) Get(ctx context.Context, t stuck.Type, namespace, name string) (*unstructured.Unstructured, error) {
	u, err := r.source.Get(ctx, t, namespace, name)
	var objects []map[string]any
	if err == nil {
		objects = append(objects, withoutManagedFields(*u))
	}
	r.record(objectQuestion(kindGet, t, namespace, name), objects, err)
	return u, err
}

// List records objects.
func (r *Recorder) List(ctx context.Context, t stuck.Type, sel cluster.Selection, visit func(unstructured.Unstructured)) error {
	var objects []map[string]any
	err := r.source.List(ctx, t, sel, func(u unstructured.Unstructured) {
		if !isDefaultRBAC(u) {
			objects = append(objects, withoutManagedFields(u))
		}
		visit(u)
	})
	r.record(selectionQuestion(kindList, t, sel), objects, err)
	return err
}

// ListTime records how long a list takes.
func (r *Recorder) ListTime(ctx context.Context, t stuck.Type, namespace string) (time.Duration, error) {
	took, err := r.source.ListTime(ctx, t, namespace)
	var objects []map[string]any
	if err == nil {
		objects = append(objects, map[string]any{"took": took.String()})
	}
	r.record(selectionQuestion(kindListTime, t, cluster.Selection{Namespace: namespace}), objects, err)
	return took, err
}

// Metrics records the open watches. The rest is read by no cause.
func (r *Recorder) Metrics(ctx context.Context) (cluster.Metrics, error) {
	m, err := r.source.Metrics(ctx)
	var objects []map[string]any
	for _, w := range m.Watches {
		objects = append(objects, map[string]any{"group": w.Group, "resource": w.Resource, "open": int64(w.Open)})
	}
	r.record(kindWatches, objects, err)
	return m, err
}

// MayPatch records whether the user may patch.
func (r *Recorder) MayPatch(ctx context.Context, t stuck.Type, namespace, name string) (bool, error) {
	allowed, err := r.source.MayPatch(ctx, t, namespace, name)
	var objects []map[string]any
	if err == nil {
		objects = append(objects, map[string]any{"allowed": allowed})
	}
	r.record(mayPatchQuestion(t, namespace, name), objects, err)
	return allowed, err
}

// Probe records what came of a dry run.
func (r *Recorder) Probe(ctx context.Context, o stuck.Object) error {
	err := r.source.Probe(ctx, o)
	r.record(objectQuestion(kindProbe, o.Type, o.Namespace, o.Name), nil, err)
	return err
}

// isDefaultRBAC reports whether an object is one of the hundred roles and bindings
// that every cluster has for its own parts. No clue looks at them, and they
// would drown what a story is about.
func isDefaultRBAC(u unstructured.Unstructured) bool {
	return u.GetLabels()["kubernetes.io/bootstrapping"] == "rbac-defaults" && strings.HasPrefix(u.GetName(), "system:")
}

// withoutManagedFields is an object without its managedFields, for which its metadata is
// read. Those of a Pod are taken from the Pod.
func withoutManagedFields(u unstructured.Unstructured) map[string]any {
	if u.GetAPIVersion() == "v1" && u.GetKind() == "Pod" {
		return u.Object
	}
	u = *u.DeepCopy()
	u.SetManagedFields(nil)
	return u.Object
}

func objectsOf(m *metav1.PartialObjectMetadata, err error) []map[string]any {
	if err != nil {
		return nil
	}
	return []map[string]any{toMap(m)}
}

func toMap(m *metav1.PartialObjectMetadata) map[string]any {
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(m)
	if err != nil {
		return map[string]any{"unreadable": err.Error()}
	}
	return object
}
