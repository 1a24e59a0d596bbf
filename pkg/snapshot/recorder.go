package snapshot

import (
	"context"
	"errors"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/dump"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Recorder is a source that keeps every answer of another.
type Recorder struct {
	source cluster.Source
	start  func() time.Time

	mu      sync.Mutex
	answers map[string]dump.Answer
	objects map[objectKey]object
	types   []stuck.Type
	gaps    []stuck.Gap
	// version and versionError are what the API server said of its version.
	version      string
	versionError error
}

// objectKey is an object of a type.
type objectKey struct{ resource, namespace, name string }

// object is what was read of an object: with each read, as much as any has read.
type object struct {
	detail  detail
	typ     stuck.Type
	content map[string]any
}

// detail is how much was read of an object.
type detail int

const (
	scanned  detail = iota // what a scan keeps
	metadata               // its metadata
	whole
)

// NewRecorder wraps a source. The time of the snapshot is that of its beginning.
func NewRecorder(source cluster.Source) *Recorder {
	return &Recorder{
		source: source, answers: map[string]dump.Answer{}, objects: map[objectKey]object{},
		start: sync.OnceValue(func() time.Time { return source.Now().UTC().Truncate(time.Second) }),
	}
}

// Now is the time at which the snapshot began.
func (r *Recorder) Now() time.Time { return r.start() }

// ClockSpread is that of the source.
func (r *Recorder) ClockSpread() time.Duration { return cluster.ClockSpread(r.source) }

// ClockSkew is that of the source.
func (r *Recorder) ClockSkew() time.Duration { return cluster.ClockSkew(r.source) }

// Version keeps the version.
func (r *Recorder) Version(ctx context.Context) (string, error) {
	version, err := r.source.Version(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.version, r.versionError = version, err
	return version, err
}

// Types keeps the types.
func (r *Recorder) Types(ctx context.Context) ([]stuck.Type, []stuck.Gap, error) {
	r.mu.Lock()
	known, gaps := r.types, r.gaps
	r.mu.Unlock()
	if known != nil {
		return known, gaps, nil
	}
	types, gaps, err := r.source.Types(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.types, r.gaps = types, gaps
	return types, gaps, err
}

// Serves keeps whether discovery names a type.
func (r *Recorder) Serves(ctx context.Context, t stuck.Type) (bool, error) {
	served, err := r.source.Serves(ctx, t)
	r.keep(dump.Answer{Question: dump.ServesQuestion(t), Yes: served}, err)
	return served, err
}

// Scan keeps the objects that a scan visited.
func (r *Recorder) Scan(ctx context.Context, t stuck.Type, sel cluster.Selection, visit func(stuck.Object)) error {
	var seen []string
	err := r.source.Scan(ctx, t, sel, func(o stuck.Object) {
		visit(o)
		seen = append(seen, r.keepObject(scanned, t, metadataOf(o)))
	})
	r.keep(dump.Answer{Question: dump.SelectionQuestion(dump.KindScan, t, sel), Objects: seen}, err)
	return err
}

// List keeps whole objects.
func (r *Recorder) List(ctx context.Context, t stuck.Type, sel cluster.Selection, visit func(unstructured.Unstructured)) error {
	var seen []string
	err := r.source.List(ctx, t, sel, func(u unstructured.Unstructured) {
		seen = append(seen, r.keepObject(whole, t, u.Object))
		visit(u)
	})
	r.keep(dump.Answer{Question: dump.SelectionQuestion(dump.KindList, t, sel), Objects: seen}, err)
	return err
}

// Metadata keeps the metadata of an object.
func (r *Recorder) Metadata(ctx context.Context, t stuck.Type, namespace, name string) (*metav1.PartialObjectMetadata, error) {
	m, err := r.source.Metadata(ctx, t, namespace, name)
	answer := dump.Answer{Question: dump.ObjectQuestion(dump.KindMetadata, t, namespace, name)}
	if err == nil {
		answer.Objects = []string{r.keepObject(metadata, t, toMap(m))}
	}
	r.keep(answer, err)
	return m, err
}

// ListMetadata keeps the metadata of objects, each as if it alone had been asked for: a dump is asked so.
func (r *Recorder) ListMetadata(ctx context.Context, t stuck.Type, names map[types.NamespacedName]bool, maxObjects int, visit func(*metav1.PartialObjectMetadata)) error {
	lister, ok := r.source.(cluster.MetadataLister)
	if !ok {
		return errors.ErrUnsupported
	}
	return lister.ListMetadata(ctx, t, names, maxObjects, func(m *metav1.PartialObjectMetadata) {
		question := dump.ObjectQuestion(dump.KindMetadata, t, m.Namespace, m.Name)
		r.keep(dump.Answer{Question: question, Objects: []string{r.keepObject(metadata, t, toMap(m))}}, nil)
		visit(m)
	})
}

// Get keeps an object.
func (r *Recorder) Get(ctx context.Context, t stuck.Type, namespace, name string) (*unstructured.Unstructured, error) {
	u, err := r.source.Get(ctx, t, namespace, name)
	answer := dump.Answer{Question: dump.ObjectQuestion(dump.KindGet, t, namespace, name)}
	if err == nil {
		answer.Objects = []string{r.keepObject(whole, t, u.Object)}
	}
	r.keep(answer, err)
	return u, err
}

// ListTime keeps how long a list takes.
func (r *Recorder) ListTime(ctx context.Context, t stuck.Type, namespace string) (time.Duration, error) {
	took, err := r.source.ListTime(ctx, t, namespace)
	answer := dump.Answer{Question: dump.SelectionQuestion(dump.KindListTime, t, cluster.Selection{Namespace: namespace})}
	if err == nil {
		answer.Took = took.String()
	}
	r.keep(answer, err)
	return took, err
}

// Metrics keeps the open watches. The rest is read by no cause.
func (r *Recorder) Metrics(ctx context.Context) (cluster.Metrics, error) {
	m, err := r.source.Metrics(ctx)
	r.keep(dump.Answer{Question: string(dump.KindWatches), Watches: m.Watches}, err)
	return m, err
}

// MayPatch keeps whether the user may patch.
func (r *Recorder) MayPatch(ctx context.Context, t stuck.Type, namespace, name string) (bool, error) {
	allowed, err := r.source.MayPatch(ctx, t, namespace, name)
	r.keep(dump.Answer{Question: dump.MayPatchQuestion(t, namespace, name), Yes: allowed}, err)
	return allowed, err
}

// Probe keeps what came of a dry run.
func (r *Recorder) Probe(ctx context.Context, o stuck.Object) error {
	err := r.source.Probe(ctx, o)
	r.keep(dump.Answer{Question: dump.ObjectQuestion(dump.KindProbe, o.Type, o.Namespace, o.Name)}, err)
	return err
}

// keep keeps an answer.
func (r *Recorder) keep(answer dump.Answer, err error) {
	var status apierrors.APIStatus
	switch {
	case errors.As(err, &status):
		s := status.Status()
		answer.Error = &s
	case errors.Is(err, cluster.ErrTooManyObjects):
		answer.Failure = err.Error()
	case err != nil:
		answer.Failure = apitext.ErrorMessage(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers[answer.Question] = answer
}

// keepObject keeps what was read of an object, and returns its name as an answer has it.
func (r *Recorder) keepObject(d detail, t stuck.Type, content map[string]any) string {
	u := unstructured.Unstructured{Object: content}
	key := objectKey{t.String(), u.GetNamespace(), u.GetName()}
	r.mu.Lock()
	defer r.mu.Unlock()
	if kept, ok := r.objects[key]; !ok || kept.detail <= d {
		r.objects[key] = object{d, t, content}
	}
	return key.namespace + "/" + key.name
}
