package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Selector says what is to be deleted. An object that has expired, or has the labels, is selected.
type Selector struct {
	Namespace string // empty means all
	// Labels is a label selector. Where it is empty, only objects with an annotation are selected.
	Labels string
	// OlderThan is how old an object must be.
	OlderThan time.Duration
	// Annotations are the keys that say when an object expires.
	Annotations []string
	// NeedsAnnotation says that an object needs one of them, whatever its labels.
	NeedsAnnotation bool
	// OwnNamespace is the namespace in which the sweep runs, empty if it runs in none.
	OwnNamespace string
	// State is the ConfigMap that has what earlier sweeps have left, empty if none does.
	State types.NamespacedName
}

// Action is what a sweep does with an object.
type Action string

// The actions.
const (
	Delete Action = "Delete"
	// Wait is for an object that somebody has deleted already.
	Wait Action = "Wait"
	Keep Action = "Keep"
)

// Item is an object that a sweep has looked at, and why it does what.
type Item struct {
	Object stuck.Object
	Action Action
	Reason string
	// Unread says that the object is kept because something could not be read.
	Unread bool
	// Result is how it ended, empty for what is kept and after a dry run, and Message says more about it.
	Result  Result
	Message string
	// Sweeps is how many sweeps in a row have left the object.
	Sweeps int
}

// Result is how a sweep ended for an object.
type Result string

// The results.
const (
	Deleted Result = "Deleted"
	// Stuck is an object whose deletion was requested and that still exists.
	Stuck Result = "Stuck"
	// Held is an object that was not deleted because another one, which has to be deleted first, still exists.
	Held Result = "Held"
	// Skipped is an object that is no longer to be deleted.
	Skipped Result = "Skipped"
	Failed  Result = "Failed"
)

// Left reports whether the object still exists although it was to be deleted.
func (i Item) Left() bool { return i.Result == Stuck || i.Result == Held || i.Result == Failed }

// Find lists the objects of a type and judges each. Those about which the selector says nothing are left out.
func (s Selector) Find(ctx context.Context, source cluster.Source, t stuck.Type) ([]Item, error) {
	var found []metav1.ObjectMeta
	var failure error
	err := source.List(ctx, t, cluster.Selection{Namespace: s.scope(t), Labels: s.Labels}, func(u unstructured.Unstructured) {
		var m metav1.PartialObjectMetadata
		failure = errors.Join(failure, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &m))
		found = append(found, m.ObjectMeta)
	})
	if err = errors.Join(err, failure); err != nil {
		return nil, fmt.Errorf("listing %s: %w", t, err)
	}
	var items []Item
	for _, m := range found {
		if item, ok := s.Judge(ctx, source, t, m); ok {
			items = append(items, item)
		}
	}
	slices.SortFunc(items, func(a, b Item) int { return stuck.Compare(a.Object, b.Object) })
	return items, nil
}

// scope is the namespace in which objects of a type are selected.
func (s Selector) scope(t stuck.Type) string {
	if !t.Namespaced {
		return ""
	}
	return s.Namespace
}

// Count counts the objects of a type among which the selector selects. Those of the system do not count.
func (s Selector) Count(ctx context.Context, source cluster.Source, t stuck.Type) (n int, err error) {
	if !t.Namespaced { // labels and annotations decide, which a scan does not keep
		err = source.List(ctx, t, cluster.Selection{}, func(u unstructured.Unstructured) {
			if !isSystem(t, metav1.ObjectMeta{Name: u.GetName(), Labels: u.GetLabels(), Annotations: u.GetAnnotations()}) {
				n++
			}
		})
		return n, err
	}
	err = source.Scan(ctx, t, cluster.Selection{Namespace: s.scope(t)}, func(o stuck.Object) {
		if !isSystemNamespace(o.Namespace) {
			n++
		}
	})
	return n, err
}

// Judge decides about one object with the labels, and reports whether there is anything to decide.
func (s Selector) Judge(ctx context.Context, source cluster.Source, t stuck.Type, m metav1.ObjectMeta) (Item, bool) {
	item := Item{Object: stuck.ObjectOf(t, m), Action: Keep}
	now := source.Now()
	expired, kept, hasAnnotation := s.expiry(ctx, source, m, item.Object)
	age := now.Sub(m.CreationTimestamp.Time)
	switch {
	case !hasAnnotation && (s.NeedsAnnotation || s.Labels == ""):
		return item, false
	case isSystem(t, m):
		item.Reason = "it is of the system"
	case item.Object.IsNamespace() && item.Object.Name == s.OwnNamespace:
		item.Reason = "the ServiceAccount of the sweep is in it"
	case item.Object.IsNamespace() && item.Object.Name == s.State.Namespace:
		item.Reason = "the ConfigMap of --state-configmap is in it"
	case item.Object.Type.GVR() == cluster.ConfigMapType.GVR() && item.Object.Namespace == s.State.Namespace && item.Object.Name == s.State.Name:
		item.Reason = "it is the ConfigMap of --state-configmap"
	case m.CreationTimestamp.IsZero():
		item.Reason = "it has no creationTimestamp"
	case kept != nil:
		item.Reason, item.Unread = kept.Error(), errors.As(kept, new(unreadError))
	case age < s.OlderThan:
		item.Reason = "it is " + duration.HumanDuration(age) + " old"
	case item.Object.Deleting():
		item.Action, item.Reason = Wait, s.reason(expired)
	default:
		item.Action, item.Reason = Delete, s.reason(expired)
	}
	return item, true
}

// KeepNamespaces keeps the namespaces in which an object is kept.
func KeepNamespaces(items []Item) {
	for _, kept := range items {
		if kept.Action != Keep || kept.Object.Namespace == "" {
			continue
		}
		for i, item := range items {
			if item.Action == Delete && item.Object.IsNamespace() && item.Object.Name == kept.Object.Namespace {
				items[i].Action, items[i].Reason, items[i].Unread = Keep, kept.Object.Ref()+" in it is kept", kept.Unread
			}
		}
	}
}

// Matches reports whether the labels of an object are still those of the selector.
func (s Selector) Matches(m metav1.ObjectMeta) bool {
	parsed, err := labels.Parse(s.Labels)
	return err == nil && parsed.Matches(labels.Set(m.Labels))
}

func (s Selector) reason(expired string) string {
	if expired != "" {
		return expired
	}
	return "labels " + s.Labels
}

// maxValueLength is longer than any duration or time: an annotation may have a quarter of a MiB.
const maxValueLength = 100

// expiry is which annotation of an object has expired, or why the object is kept. What cannot be read keeps it,
// and so does one that has not expired or never does, whatever else has expired. A hard limit alone does not depend on whether
// the namespace is in use.
func (s Selector) expiry(ctx context.Context, source cluster.Source, m metav1.ObjectMeta, o stuck.Object) (expired string, kept error, found bool) {
	var unreadable, never, alive, limit, inUse error
	isHard, isSoft := false, false
	for _, key := range s.Annotations {
		value, ok := m.Annotations[key]
		if !ok || strings.HasPrefix(key, openshiftPrefix) && !o.IsNamespace() {
			continue
		}
		found = true
		at, err := time.Time{}, error(nil)
		said := key + "=" + value
		switch {
		case len(value) > maxValueLength:
			said, err = key, fmt.Errorf("it has %d characters, which no duration or time has", len(value))
		case key == openshiftSoftTTL:
			at, err = softExpiry(ctx, source, value, m)
		default:
			at, err = expiryOf(key, value, m)
		}
		switch {
		case errors.Is(err, errNever):
			never = fmt.Errorf("%s: %w", said, err)
		case errors.Is(err, errActive):
			inUse = fmt.Errorf("%s: %w", said, err)
		case err != nil:
			unreadable = fmt.Errorf("%s: %w", said, err)
		case source.Now().After(at):
			expired = said + " expired " + duration.HumanDuration(source.Now().Sub(at)) + " ago"
			isHard, isSoft = isHard || key == openshiftHardTTL, isSoft || key == openshiftSoftTTL
		case key == openshiftSoftTTL:
			inUse = fmt.Errorf("%s expires in %s", said, duration.HumanDuration(at.Sub(source.Now())))
		case key == openshiftHardTTL: // the soft one may expire before
			limit = fmt.Errorf("%s expires in %s", said, duration.HumanDuration(at.Sub(source.Now())))
		default:
			alive = fmt.Errorf("%s expires in %s", said, duration.HumanDuration(at.Sub(source.Now())))
		}
	}
	switch {
	case unreadable != nil, never != nil, alive != nil:
		return "", cmp.Or(unreadable, never, alive), found
	case inUse != nil && !isHard:
		return "", inUse, found
	case limit != nil && !isSoft:
		return "", limit, found
	}
	return expired, nil, found
}
