package removal

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// PlannedEvent is an Event about a removal.
type PlannedEvent struct {
	// InvolvedObject is what the Event is about: the object itself, or its namespace
	// where that takes no new Events, because it is being deleted.
	InvolvedObject stuck.Object
	// StepIndexes are the steps of the plan that it is about, by their indexes. They
	// remove the same finalizers on the same verdict.
	StepIndexes []int
}

// PlanEvents plans the Events about a plan. Events about what has no
// namespace are in the namespace default
// (kubernetes/pkg/apis/core/validation/events.go).
func PlanEvents(ctx context.Context, source cluster.Source, plan Plan) ([]PlannedEvent, error) {
	involved := make([]stuck.Object, len(plan.Steps))
	indexes := make([]int, len(plan.Steps))
	deleting := map[string]stuck.Object{}
	for i, s := range plan.Steps {
		indexes[i], involved[i] = i, s.Object
		name := s.Object.Namespace
		if name == "" {
			continue
		}
		if _, asked := deleting[name]; !asked {
			var err error
			if deleting[name], err = deletingNamespace(ctx, source, name); err != nil {
				return nil, err
			}
		}
		if deleting[name].Name != "" {
			involved[i] = deleting[name]
		}
	}
	var planned []PlannedEvent
	for _, group := range stuck.GroupBy(indexes, func(i int) eventKey { return eventKeyOf(involved[i], plan.Steps[i]) }) {
		planned = append(planned, PlannedEvent{InvolvedObject: involved[group[0]], StepIndexes: group})
	}
	return planned, nil
}

// eventKey is what steps have in common that share one Event.
type eventKey struct {
	path       string
	uid        types.UID
	finalizers string
	verdict    stuck.Verdict
}

func eventKeyOf(involved stuck.Object, s Step) eventKey {
	return eventKey{involved.Path(), involved.UID, stuck.ListKey(s.Finalizers, s.SpecFinalizers), s.Verdict}
}

// EventRequests are the requests that post the Events, as they are if all is done.
func (p Plan) EventRequests() []Request {
	var out []Request
	for _, n := range p.Events {
		out = append(out, n.Request(n.SelectSteps(p.Steps), time.Time{}))
	}
	return out
}

// deletingNamespace is a namespace that is being deleted, empty for any other, and
// for one that the user may not read: then the dry run shows it.
func deletingNamespace(ctx context.Context, source cluster.Source, name string) (stuck.Object, error) {
	m, err := source.Metadata(ctx, cluster.NamespaceType, "", name)
	switch {
	case err != nil && retryableError(err) != nil:
		return stuck.Object{}, fmt.Errorf("reading %s: %w", cluster.NamespaceType.Ref(name), err)
	case err != nil || m.DeletionTimestamp == nil:
		return stuck.Object{}, nil
	}
	return stuck.ObjectOf(cluster.NamespaceType, m.ObjectMeta), nil
}

// Namespace is where the Event is posted.
func (n PlannedEvent) Namespace() string {
	if n.InvolvedObject.Namespace == "" {
		return metav1.NamespaceDefault
	}
	return n.InvolvedObject.Namespace
}

// Request posts the Event for the steps that were done, or for all of them
// before any is.
func (n PlannedEvent) Request(done []Step, now time.Time) Request {
	first, at := done[0], metav1.NewTime(now)
	names := strings.Join(first.allFinalizers(), ", ")
	what := ""
	switch {
	case len(done) > 1:
		what = fmt.Sprintf(" from %d objects, such as %s", len(done), first.Object.Ref())
	case first.Object.UID != n.InvolvedObject.UID:
		what = " from " + first.Object.Ref()
	}
	return createEventRequest(&corev1.Event{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Event"},
		ObjectMeta: metav1.ObjectMeta{GenerateName: n.InvolvedObject.Name + ".", Namespace: n.Namespace()},
		InvolvedObject: corev1.ObjectReference{
			APIVersion: n.InvolvedObject.Type.GVK().GroupVersion().String(), Kind: n.InvolvedObject.Type.Kind,
			Namespace: n.InvolvedObject.Namespace, Name: n.InvolvedObject.Name, UID: n.InvolvedObject.UID,
		},
		Type: corev1.EventTypeWarning, Reason: "FinalizerRemoved", Count: int32(len(done)), FirstTimestamp: at, LastTimestamp: at,
		Message: fmt.Sprintf("removed by force%s: %s (verdict %s)", what, names, first.Verdict),
		Source:  corev1.EventSource{Component: fieldManager},
	})
}

// SelectSteps are the steps that it is about, among those of its plan.
func (n PlannedEvent) SelectSteps(steps []Step) []Step {
	out := make([]Step, len(n.StepIndexes))
	for i, index := range n.StepIndexes {
		out[i] = steps[index]
	}
	return out
}
