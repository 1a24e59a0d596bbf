package preflight

import (
	"cmp"
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/diagnose"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Options are what a prediction is made from.
type Options struct {
	Source cluster.Source
	Types  []stuck.Type
	// DiscoveryGaps are the API groups that could not be discovered.
	DiscoveryGaps []stuck.Gap
	// View is a view of the cluster as it is.
	View    *cluster.View
	Catalog *catalog.Catalog
	// Probe says that dry runs may be sent.
	Probe bool
	// Selected are the objects that are to be deleted.
	Selected []stuck.Object
}

// Outcome is what is to be expected of a deletion.
type Outcome string

// The outcomes. OthersGetStuck means that nothing was found that would get stuck in the deletion, and
// that objects which are not deleted lose what they need to be deleted later. Unknown means that
// nothing was found that would get stuck, and that something could not be read or explained.
const (
	GoesThrough    Outcome = "GoesThrough"
	GetsStuck      Outcome = "GetsStuck"
	OthersGetStuck Outcome = "OthersGetStuck"
	Unknown        Outcome = "Unknown"
)

// Result is what was predicted.
type Result struct {
	Outcome  Outcome
	Selected []stuck.Object
	// Objects is how many objects are deleted, with the selected ones.
	Objects int
	// Diagnoses are those of the objects that something has to finish. An object with verdict
	// Progressing is expected to be deleted.
	Diagnoses []*stuck.Diagnosis
	// Others are what becomes of objects that are not deleted.
	Others []Other
	Order  []Stage
	// Whole are the selected Namespaces and CustomResourceDefinitions.
	Whole    []stuck.Object
	Estimate Estimate
	Gaps     []stuck.Gap
}

// Run predicts what becomes of the objects. The error is that of a canceled context.
func Run(ctx context.Context, o Options) (Result, error) {
	d, err := expand(ctx, o.Source, o.Types, o.Selected, scopesOf(o.Selected))
	if err != nil {
		return Result{}, err
	}
	for _, survey := range d.surveys {
		o.View.AddGaps(survey.Gaps...)
	}
	var rejections []rejection
	if o.Probe {
		if rejections, err = tryDeletions(ctx, o.Source, o.View, d); err != nil {
			return Result{}, err
		}
	} else if len(o.Selected) > 0 {
		o.View.AddGaps(stuck.Gap{Source: "the results of dry runs of the deletion", Error: probesDisabled, ProbeSkipped: true})
	}
	out := Result{Selected: o.Selected, Objects: len(d.all), Whole: wholes(o.Selected)}
	held, slowest, graces := examinePods(o.View, d)
	out.Estimate = d.estimate(slowest, graces)
	after := newAfter(o.Source, d, held, uidsOf(rejections))
	later := o.laterView(ctx, after, d)
	f := &foresight{present: o.View, later: later, after: after, rejections: rejections, deleted: d, stopped: stoppedWorkloads(o.View, d, after)}
	objects := after.heldObjects(d)
	if out.Diagnoses, err = diagnose.Predict(ctx, later, o.Catalog, objects, f); err != nil {
		return Result{}, err
	}
	if out.Others, err = o.findOthers(ctx, f); err != nil {
		return Result{}, err
	}
	if outcomeOf(out.Diagnoses, nil) != GetsStuck { // otherwise its size matters little
		addLargeObjectGaps(o.View, objects)
	}
	out.Gaps = mergeGaps(o.View.AllGaps(), later.AllGaps())
	if out.Outcome = outcomeOf(out.Diagnoses, out.Gaps); out.Outcome != GetsStuck && len(out.Others) > 0 {
		out.Outcome = OthersGetStuck
	}
	markDeletedToo(out.Diagnoses, goneCulprits(d, after))
	forgetLaterDeletion(out.Diagnoses, d)
	out.Order, err = o.order(ctx, d, controllerNamespaces(out.Diagnoses))
	return out, err
}

// order is a safe order of the deletion.
func (o Options) order(ctx context.Context, d *deleted, controllerNamespaces []string) ([]Stage, error) {
	deletion := Deletion{Selected: topmost(d), Content: d.all, ControllerNamespaces: controllerNamespaces}
	if o.Probe {
		var err error
		if deletion.Inseparable, err = inseparableTypes(ctx, o.Source, o.View, d); err != nil {
			return nil, err
		}
	}
	return Order(deletion), nil
}

// probesDisabled is why no dry run was sent at all.
const probesDisabled = "disabled (--probe=false)"

// laterView is a view of the cluster after the deletion, which need not read again what was
// surveyed.
func (o Options) laterView(ctx context.Context, a *after, d *deleted) *cluster.View {
	var options []cluster.Option
	if !o.Probe {
		options = append(options, cluster.WithoutProbes(probesDisabled))
	}
	view := cluster.NewView(ctx, a, o.Types, o.DiscoveryGaps, options...)
	for scope, survey := range d.surveys {
		view = view.WithSurvey(scope, a.survey(*survey))
	}
	return view
}

// examinePods finds the Pods that stay since their kubelet does not respond, the Pod that may take the
// longest, and the longest grace periods by namespace.
func examinePods(view *cluster.View, d *deleted) (held map[types.UID]bool, slowest stuck.Object, graces map[string]time.Duration) {
	held, graces = map[types.UID]bool{}, map[string]time.Duration{}
	read := map[string]bool{}
	for _, o := range d.all {
		if !o.Is("", "Pod") || read[o.Namespace] {
			continue
		}
		read[o.Namespace] = true
		for _, pod := range view.Pods(o.Namespace).Items {
			if !d.uids[pod.UID] || pod.Spec.NodeName == "" {
				continue
			}
			if node := view.Node(pod.Spec.NodeName); node.Found() && isUnresponsive(*node.Value) {
				held[pod.UID] = true
			}
			grace := gracePeriod(pod)
			if slowest.Name == "" || grace > graces[slowest.Namespace] {
				slowest = stuck.ObjectOf(cluster.PodType, pod.ObjectMeta)
			}
			graces[pod.Namespace] = max(graces[pod.Namespace], grace)
		}
	}
	return held, slowest, graces
}

// gracePeriod is how long the containers of a Pod may take to end.
func gracePeriod(pod corev1.Pod) time.Duration {
	ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	if ended || pod.Spec.TerminationGracePeriodSeconds == nil {
		return 0
	}
	return time.Duration(*pod.Spec.TerminationGracePeriodSeconds) * time.Second
}

func isUnresponsive(node corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionUnknown
	})
}

func uidsOf(rejections []rejection) map[types.UID]bool {
	out := map[types.UID]bool{}
	for _, r := range rejections {
		out[r.object.UID] = true
	}
	return out
}

// heldObjects are the objects that something has to finish, as they are after the deletion, and
// those whose deletion is rejected. In a namespace the namespace stands for these.
func (a *after) heldObjects(d *deleted) []stuck.Object {
	var out []stuck.Object
	for i, o := range d.all {
		isSelected := i < len(d.selected)
		if a.deleting[o.UID] || !a.gone[o.UID] && (isSelected || !d.namespaces[o.Namespace]) {
			if o = a.object(o); !o.Deleting() {
				o.DeletionTime = a.deletedAt // the rejection is what is to be found
			}
			out = append(out, o)
		}
	}
	slices.SortFunc(out, stuck.Compare)
	return out
}

func mergeGaps(lists ...[]stuck.Gap) []stuck.Gap {
	var out []stuck.Gap
	for _, gap := range slices.Concat(lists...) {
		if !slices.ContainsFunc(out, func(g stuck.Gap) bool { return g.Source == gap.Source && g.Error == gap.Error }) {
			out = append(out, gap)
		}
	}
	slices.SortFunc(out, func(a, b stuck.Gap) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Error, b.Error))
	})
	return out
}

func outcomeOf(diagnoses []*stuck.Diagnosis, gaps []stuck.Gap) Outcome {
	out := GoesThrough
	if len(gaps) > 0 {
		out = Unknown
	}
	for _, d := range diagnoses {
		switch d.Verdict {
		case stuck.Blocked, stuck.ControllerGone:
			return GetsStuck
		case stuck.Unknown:
			out = Unknown
		case stuck.Progressing:
		}
	}
	return out
}

// topmost are the selected objects without those that are deleted with others (a Pod of a
// Deployment would come back), and without those that no request reaches.
func topmost(d *deleted) []stuck.Object {
	return slices.DeleteFunc(slices.Clone(d.selected), func(o stuck.Object) bool {
		return d.namespaces[o.Namespace] && stuck.IsBuiltInGroup(o.Type.Group) || d.definitions[o.Type.String()] || d.ownersDeleted(o) || o.IsOutOfScope()
	})
}

// wholes are the selected Namespaces and CustomResourceDefinitions, whose objects are deleted
// with them.
func wholes(selected []stuck.Object) []stuck.Object {
	return slices.DeleteFunc(slices.Clone(selected), func(o stuck.Object) bool { return !o.IsNamespace() && !isDefinition(o) })
}

// controllerNamespaces are the namespaces of the controllers that were found.
func controllerNamespaces(diagnoses []*stuck.Diagnosis) []string {
	var out []string
	for _, d := range diagnoses {
		for _, c := range d.Controllers {
			if c.Workload != nil && !slices.Contains(out, c.Workload.Namespace) {
				out = append(out, c.Workload.Namespace)
			}
		}
	}
	return out
}
