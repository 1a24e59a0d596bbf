package dump

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
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
	// now is the time of the dump, and guessed says that the dump does not say it itself.
	now     time.Time
	guessed bool
}

// Open reads a dump: a folder, an archive, a file of objects, or standard input where the path
// is "-". It reads no more than limit bytes of it, DefaultLimit where that is zero.
func Open(path string, stdin io.Reader, limit int64) (*Source, error) {
	if limit == 0 {
		limit = DefaultLimit
	}
	l := newLoader(newBudget(limit))
	kind, err := readFiles(path, stdin, l.budget, l.read)
	if err != nil {
		return nil, err
	}
	if err := l.store.flush(); err != nil {
		return nil, err
	}
	c, err := l.interpret(path, kind)
	if err != nil {
		return nil, err
	}
	return l.source(c)
}

// Name is what the dump is, with its article: "a must-gather".
func (s *Source) Name() string { return s.name }

// TimeIsGuessed reports whether the dump does not say when it was made, so that Now is the newest
// time in it.
func (s *Source) TimeIsGuessed() bool { return s.guessed }

// HasAnswers reports whether the dump has the answers that an API server gave beyond its objects:
// to dry runs, to questions of access, and in its metrics.
func (s *Source) HasAnswers() bool { return s.answers != nil }

// LeaseAgesError says why the ages of Leases are not known: a tool reads for minutes, and does not
// say when it read which object.
func (s *Source) LeaseAgesError() error {
	if s.answers != nil {
		return nil
	}
	return errors.New("not known: the dump does not say when it read each Lease")
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

// Scan visits the objects of a type.
func (s *Source) Scan(_ context.Context, t stuck.Type, sel cluster.Selection, visit func(stuck.Object)) error {
	served, err := s.sameType(t)
	if err != nil {
		return err
	}
	if s.answers != nil {
		if answer, known := s.answers.selected(KindScan, served, sel); known {
			s.eachNamed(served, answer, func(e *entry) { visit(s.object(e)) })
			return answer.err()
		}
		if err := s.checkContent(KindMetadata, served, sel); err != nil && (sel.Labels != "" || sel.Fields != "") {
			return err
		}
	}
	err = s.each(served, sel, false, func(e *entry, _ *unstructured.Unstructured) { visit(s.object(e)) })
	return errors.Join(err, s.inventory.check(served, sel.Namespace))
}

// eachNamed visits the objects of an answer.
func (s *Source) eachNamed(t stuck.Type, answer Answer, visit func(*entry)) {
	for _, object := range answer.Objects {
		namespace, name, _ := strings.Cut(object, "/")
		if e := s.find(t, namespace, name); e != nil {
			visit(e)
		}
	}
}

// checkContent is nil where a snapshot has as much of the objects in a scope as a question asks
// for.
func (s *Source) checkContent(kind Kind, t stuck.Type, sel cluster.Selection) error {
	for _, i := range s.byType[s.typeNumber(t)].in(s.entries, sel.Namespace) {
		if e := &s.entries[i]; !s.answers.has(kind, t, e.namespace, e.name) {
			return errNotHeld
		}
	}
	return nil
}

// List visits the whole objects of a type.
func (s *Source) List(_ context.Context, t stuck.Type, sel cluster.Selection, visit func(unstructured.Unstructured)) error {
	if t.IsSecret() {
		return errSecretContents
	}
	served, err := s.sameType(t)
	if err != nil {
		return err
	}
	if s.answers != nil {
		if answer, known := s.answers.selected(KindList, served, sel); known {
			return errors.Join(s.visitWhole(served, answer, visit), answer.err())
		}
		if err := s.checkContent(KindGet, served, sel); err != nil {
			return err
		}
	}
	if err := s.inventory.check(served, sel.Namespace); err != nil {
		return err
	}
	n := 0
	err = s.each(served, sel, true, func(_ *entry, u *unstructured.Unstructured) {
		if n++; sel.MaxObjects == 0 || n <= sel.MaxObjects {
			visit(*u)
		}
	})
	if err == nil && sel.MaxObjects > 0 && n > sel.MaxObjects {
		return cluster.ErrTooManyObjects
	}
	return err
}

func (s *Source) visitWhole(t stuck.Type, answer Answer, visit func(unstructured.Unstructured)) (err error) {
	s.eachNamed(t, answer, func(e *entry) {
		u, readErr := s.decode(e)
		if readErr != nil {
			err = readErr
			return
		}
		visit(*u)
	})
	return err
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

// redaction is what a tool writes in the place of a text that it does not show
// (replicatedhq/troubleshoot, pkg/redact).
const redaction = "***HIDDEN***"

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
		if err, known := s.answers.object(kind, served, namespace, name); known && err != nil {
			return nil, err
		}
		if e != nil && !s.answers.has(kind, served, namespace, name) {
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

// sameType is the type as the dump has it, which may have another version.
func (s *Source) sameType(t stuck.Type) (stuck.Type, error) {
	if i := s.typeNumber(t); i >= 0 {
		return s.types[i], nil
	}
	return stuck.Type{}, errNotHeld
}

func (s *Source) typeNumber(t stuck.Type) int {
	return slices.IndexFunc(s.types, func(other stuck.Type) bool { return other.Group == t.Group && other.Resource == t.Resource })
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

// matcher selects objects as the API server does. Fields are found by their path, which is what
// the API server names them by.
type matcher struct {
	name   string
	labels labels.Selector
	fields fields.Selector
}

func newMatcher(sel cluster.Selection) (matcher, error) {
	m := matcher{name: sel.Name}
	var err, fieldsErr error
	m.labels, err = labels.Parse(sel.Labels)
	m.fields, fieldsErr = fields.ParseSelector(sel.Fields)
	return m, errors.Join(err, fieldsErr)
}

func (m matcher) needsContent() bool { return !m.labels.Empty() || !m.fields.Empty() }

// mayMatch spares the decoding of most Events.
func (m matcher) mayMatch(e *entry) bool {
	if m.name != "" && e.name != m.name {
		return false
	}
	uid, ok := m.fields.RequiresExactMatch("involvedObject.uid")
	return !ok || e.involved == uid
}

func (m matcher) matches(u *unstructured.Unstructured) bool {
	set := fields.Set{}
	for _, r := range m.fields.Requirements() {
		set[r.Field], _, _ = unstructured.NestedString(u.Object, strings.Split(r.Field, ".")...)
	}
	return m.labels.Matches(labels.Set(u.GetLabels())) && m.fields.Matches(set)
}
