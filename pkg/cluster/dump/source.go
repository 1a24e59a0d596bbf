package dump

import (
	"context"
	"errors"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	kjson "sigs.k8s.io/json"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Source answers from a dump.
type Source struct {
	content
	entries []entry
	store   *store
	byType  []typeIndex
	numbers map[schema.GroupResource]int32
	// now is the time of the dump, and guessed says that the dump does not say it itself.
	now     time.Time
	guessed bool
	// twins is how many objects have the name of another.
	twins int
}

// Now is the time of the dump.
func (s *Source) Now() time.Time { return s.now }

// Version is the Kubernetes version of the cluster.
func (s *Source) Version(context.Context) (string, error) {
	switch {
	case s.version != "":
		return s.version, nil
	case s.versionError != "":
		return "", errors.New(s.versionError)
	}
	return "", errNotHeld
}

// Types are the types that the dump knows.
func (s *Source) Types(context.Context) ([]stuck.Type, []stuck.Gap, error) {
	return s.types, s.discoveryGaps, nil
}

// Serves reports whether discovery named the type.
func (s *Source) Serves(_ context.Context, t stuck.Type) (bool, error) {
	if s.answers != nil {
		return s.answers.serves(t)
	}
	return false, errNotHeld
}

// Metadata is the metadata of one object.
func (s *Source) Metadata(_ context.Context, t stuck.Type, namespace, name string) (*metav1.PartialObjectMetadata, error) {
	e, err := s.get(KindMetadata, t, namespace, name)
	if err != nil {
		return nil, err
	}
	content, err := s.store.read(e.location)
	if err != nil {
		return nil, err
	}
	m := &metav1.PartialObjectMetadata{}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(content, m); err != nil {
		return nil, err
	}
	m.SetGroupVersionKind(s.types[e.typ].GVK())
	return m, nil
}

// Get is one whole object. It refuses Secrets.
func (s *Source) Get(_ context.Context, t stuck.Type, namespace, name string) (*unstructured.Unstructured, error) {
	if t.IsSecret() {
		return nil, errSecretContents
	}
	e, err := s.get(KindGet, t, namespace, name)
	if err != nil {
		return nil, err
	}
	return s.decode(e)
}

// errSecretContents is the error of a question for the content of Secrets.
var errSecretContents = errors.New("the contents of secrets are never read")

// get is one object: found, absent from a list that is whole, or not known.
func (s *Source) get(kind Kind, t stuck.Type, namespace, name string) (*entry, error) {
	if strings.Contains(namespace+name, redaction) {
		return nil, errors.New("its name is redacted in this dump")
	}
	served, err := s.sameType(t)
	if err != nil {
		return nil, err
	}
	if !served.Namespaced {
		namespace = ""
	}
	e := s.find(served, namespace, name)
	if s.answers != nil {
		err, known := s.answers.object(kind, served, namespace, name)
		if err != nil {
			return nil, err
		}
		if e == nil && known || e != nil && !s.answers.has(kind, served, namespace, name) {
			return nil, errNotHeld
		}
	}
	if e != nil {
		return e, nil
	}
	if err := s.inventory.check(served, namespace); err != nil {
		return nil, err
	}
	return nil, apierrors.NewNotFound(t.GVR().GroupResource(), name)
}

// ListTime is how long a list took when the dump was made, which no tool but our own keeps.
func (s *Source) ListTime(_ context.Context, t stuck.Type, namespace string) (time.Duration, error) {
	if s.answers == nil {
		return 0, errNotHeld
	}
	return s.answers.listTime(t, namespace)
}

// Metrics are those that the API server reported, which no tool but our own keeps.
func (s *Source) Metrics(context.Context) (cluster.Metrics, error) {
	if s.answers == nil {
		return cluster.Metrics{}, errNotHeld
	}
	return s.answers.metrics()
}

// MayPatch is what the API server answered to whoever made the dump.
func (s *Source) MayPatch(_ context.Context, t stuck.Type, namespace, name string) (bool, error) {
	if s.answers == nil {
		return false, errNotHeld
	}
	return s.answers.mayPatch(t, namespace, name)
}

// Probe is what came of a dry run when the dump was made.
func (s *Source) Probe(_ context.Context, o stuck.Object) error {
	if s.answers == nil {
		return errNotHeld
	}
	return s.answers.probe(o)
}

// MayDelete is not known: no dump has what the API server would answer to a deletion.
func (s *Source) MayDelete(context.Context, stuck.Object) (bool, error) { return false, errNotHeld }

// ProbeDelete is not known either.
func (s *Source) ProbeDelete(context.Context, stuck.Object) error { return errNotHeld }

// sameType is the type as the dump has it, which may have another version.
func (s *Source) sameType(t stuck.Type) (stuck.Type, error) {
	if i := s.typeNumber(t); i >= 0 {
		return s.types[i], nil
	}
	return stuck.Type{}, errNotHeld
}

func (s *Source) typeNumber(t stuck.Type) int32 { return s.numberOf(t.GVR().GroupResource()) }

// numberOf is the number of a type, -1 where the dump does not know it.
func (s *Source) numberOf(resource schema.GroupResource) int32 {
	if i, ok := s.numbers[resource]; ok {
		return i
	}
	return -1
}

func (s *Source) find(t stuck.Type, namespace, name string) *entry {
	return s.byType[s.typeNumber(t)].find(s.entries, namespace, name)
}

// object is an object as a scan keeps it.
func (s *Source) object(e *entry) stuck.Object {
	o := stuck.Object{Type: s.types[e.typ], Namespace: e.namespace, Name: e.name, UID: types.UID(e.uid), CreationTime: timeOf(e.created), DeletionTime: timeOf(e.deleted)}
	if e.rare != nil {
		o.DeletionGracePeriodSeconds, o.Finalizers, o.Owners = e.rare.gracePeriod, e.rare.finalizers, e.rare.owners
	}
	return o
}

func timeOf(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

func (s *Source) decode(e *entry) (*unstructured.Unstructured, error) {
	content, err := s.store.read(e.location)
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(content, &u.Object); err != nil {
		return nil, err
	}
	if u.GetKind() == "" {
		u.SetGroupVersionKind(s.types[e.typ].GVK())
	}
	return u, nil
}

// each visits the selected objects of a type, decoded where that is asked for or needed.
func (s *Source) each(t stuck.Type, sel cluster.Selection, whole bool, visit func(*entry, *unstructured.Unstructured)) error {
	m, err := newMatcher(sel)
	if err != nil {
		return err
	}
	namespace := sel.Namespace
	if !t.Namespaced {
		namespace = ""
	}
	for _, i := range s.byType[s.typeNumber(t)].in(s.entries, namespace) {
		e := &s.entries[i]
		if !m.mayMatch(e) {
			continue
		}
		var u *unstructured.Unstructured
		if whole || m.needsContent() {
			if u, err = s.decode(e); err != nil {
				return err
			}
			if !m.matches(u) {
				continue
			}
		}
		visit(e, u)
	}
	return nil
}
