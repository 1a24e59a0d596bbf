package removal

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Notice is an Event that tells of a removal.
type Notice struct {
	// About is what the Event is about: the object itself, or its namespace
	// where that takes no new Events, because it is being deleted.
	About stuck.Object
	// Steps are those of the plan that it tells of, by their places. They
	// remove the same finalizers on the same verdict.
	Steps []int
}

// Notify plans the Events that tell of a plan. Events about what has no
// namespace are in the namespace default
// (kubernetes/pkg/apis/core/validation/events.go).
func Notify(ctx context.Context, source cluster.Source, plan Plan) ([]Notice, error) {
	var notices []Notice
	place, dying := map[string]int{}, map[string]stuck.Object{}
	for i, s := range plan.Steps {
		about := s.Object
		if name := about.Namespace; name != "" {
			if _, asked := dying[name]; !asked {
				var err error
				if dying[name], err = dyingNamespace(ctx, source, name); err != nil {
					return nil, err
				}
			}
			if dying[name].Name != "" {
				about = dying[name]
			}
		}
		key := fmt.Sprint(about.UID, about.Namespace, about.Type.GVR(), about.Name, s.Finalizers, s.Spec, s.Verdict)
		if n, ok := place[key]; ok {
			notices[n].Steps = append(notices[n].Steps, i)
			continue
		}
		place[key] = len(notices)
		notices = append(notices, Notice{About: about, Steps: []int{i}})
	}
	return notices, nil
}

// dyingNamespace is a namespace that is being deleted, empty for any other, and
// for one that the user may not read: then the dry run tells.
func dyingNamespace(ctx context.Context, source cluster.Source, name string) (stuck.Object, error) {
	m, err := source.Metadata(ctx, namespaces, "", name)
	switch {
	case err != nil && passing(err) != nil:
		return stuck.Object{}, fmt.Errorf("reading namespace/%s: %w", name, err)
	case err != nil || m.DeletionTimestamp == nil:
		return stuck.Object{}, nil
	}
	return cluster.Object(namespaces, m), nil
}

// Namespace is where the Event is posted.
func (n Notice) Namespace() string {
	if n.About.Namespace == "" {
		return metav1.NamespaceDefault
	}
	return n.About.Namespace
}

// Request posts the Event for the steps that were done, or for all of them
// before any is.
func (n Notice) Request(done []Step, now time.Time) Request {
	first, at := done[0], metav1.NewTime(now)
	names := strings.Join(slices.Concat(first.Spec, first.Finalizers), ", ")
	what := ""
	switch {
	case len(done) > 1:
		what = fmt.Sprintf(" from %d objects, such as %s", len(done), first.Object.Ref())
	case first.Object.UID != n.About.UID:
		what = " from " + first.Object.Ref()
	}
	return post(&corev1.Event{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Event"},
		ObjectMeta: metav1.ObjectMeta{GenerateName: n.About.Name + ".", Namespace: n.Namespace()},
		InvolvedObject: corev1.ObjectReference{
			APIVersion: n.About.Type.GVK().GroupVersion().String(), Kind: n.About.Type.Kind,
			Namespace: n.About.Namespace, Name: n.About.Name, UID: n.About.UID,
		},
		Type: corev1.EventTypeWarning, Reason: "FinalizerRemoved", Count: int32(len(done)), FirstTimestamp: at, LastTimestamp: at,
		Message: fmt.Sprintf("removed by force%s: %s (verdict %s)", what, names, first.Verdict),
		Source:  corev1.EventSource{Component: manager},
	})
}

// Of are the steps that it tells of, among those of its plan.
func (n Notice) Of(steps []Step) []Step {
	out := make([]Step, len(n.Steps))
	for i, place := range n.Steps {
		out[i] = steps[place]
	}
	return out
}
