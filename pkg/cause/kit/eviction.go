package kit

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// doNotDisrupt is the annotation of a Pod that Karpenter waits for and never
// evicts (IsEvictable and IsDrainable in karpenter/pkg/utils/pod/scheduling.go).
const doNotDisrupt = "karpenter.sh/do-not-disrupt"

// EvictionBlockOf says why a Pod on a node that is being drained may not be evicted,
// false if nothing forbids it or the drain passes it over.
func EvictionBlockOf(view *cluster.View, o stuck.Object, pod corev1.Pod) (EvictionBlock, bool) {
	ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	karpenter := o.HasFinalizer(FinalizerKarpenter)
	if ended || pod.DeletionTimestamp != nil || isSkippedByDrain(pod) || karpenter && toleratesDisruption(pod) {
		return EvictionBlock{}, false
	}
	name := stuck.RefInNamespace("pod", pod.Name, pod.Namespace)
	if karpenter && pod.Annotations[doNotDisrupt] == "true" {
		return EvictionBlock{
			Pod: pod, Culprit: stuck.ObjectOf(cluster.PodType, pod.ObjectMeta).Culprit(), Evidence: name + " has the annotation " + doNotDisrupt + "=true, so Karpenter does not evict it",
			Steps: []stuck.Step{{Action: stuck.ActionChange, Description: "remove the annotation, if pod/" + pod.Name + " may be stopped: Karpenter then evicts it", Command: stuck.Kubectlf(pod.Namespace, "annotate pod %s %s-", pod.Name, doNotDisrupt)}},
		}, true
	}
	var budgets []policyv1.PodDisruptionBudget
	for _, b := range view.PodDisruptionBudgets(pod.Namespace).Items {
		if budgetSelects(b, pod) {
			budgets = append(budgets, b)
		}
	}
	switch {
	case len(budgets) > 1:
		return severalBudgetsBlock(pod, name, budgets), true
	case len(budgets) == 1 && budgetForbids(budgets[0], pod):
		return budgetBlock(pod, name, budgets[0]), true
	}
	return EvictionBlock{}, false
}

// drainPatience is how long Karpenter waits for a Pod that should have ended.
const drainPatience = time.Minute

// IsTerminatingInDrain reports whether Karpenter waits for the end of a Pod that is being deleted (IsWaitingEviction in
// karpenter/pkg/utils/pod/scheduling.go).
func IsTerminatingInDrain(pod corev1.Pod, now time.Time) bool {
	ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	fromFile := slices.ContainsFunc(pod.OwnerReferences, func(w metav1.OwnerReference) bool { return w.Kind == "Node" })
	return pod.DeletionTimestamp != nil && now.Sub(pod.DeletionTimestamp.Time) <= drainPatience && !ended && !fromFile && !toleratesDisruption(pod)
}

// isSkippedByDrain reports whether drains leave a Pod alone: one of a DaemonSet, and one
// that a node runs from a file.
func isSkippedByDrain(pod corev1.Pod) bool {
	return slices.ContainsFunc(pod.OwnerReferences, func(w metav1.OwnerReference) bool {
		return w.Kind == "Node" || w.Kind == "DaemonSet" && w.Controller != nil && *w.Controller
	})
}

// toleratesDisruption reports whether a Pod may stay on a node that Karpenter takes down:
// Karpenter does not wait for such Pods.
func toleratesDisruption(pod corev1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.Tolerations, func(t corev1.Toleration) bool {
		return (t.Key == "" || strings.HasPrefix(t.Key, "karpenter.sh/disrupt")) && (t.Effect == "" || t.Effect == corev1.TaintEffectNoSchedule)
	})
}

func budgetSelects(budget policyv1.PodDisruptionBudget, pod corev1.Pod) bool {
	selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
	return err == nil && selector.Matches(labels.Set(pod.Labels))
}

// budgetForbids reports whether the API server refuses to evict the Pod for the budget,
// as it decides it (kubernetes/pkg/registry/core/pod/storage/eviction.go). A
// Pending Pod is never refused.
func budgetForbids(b policyv1.PodDisruptionBudget, pod corev1.Pod) bool {
	if pod.Status.Phase == corev1.PodPending || b.Status.DisruptionsAllowed > 0 {
		return false
	}
	ready := slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
	if ready {
		return true
	}
	always := b.Spec.UnhealthyPodEvictionPolicy != nil && *b.Spec.UnhealthyPodEvictionPolicy == policyv1.AlwaysAllow
	healthy := b.Status.CurrentHealthy >= b.Status.DesiredHealthy && b.Status.DesiredHealthy > 0
	return !always && !healthy
}

func budgetBlock(pod corev1.Pod, name string, b policyv1.PodDisruptionBudget) EvictionBlock {
	return EvictionBlock{
		Pod: pod, Culprit: stuck.Culprit{Kind: "PodDisruptionBudget", Namespace: b.Namespace, Name: b.Name},
		Evidence: fmt.Sprintf("%s is covered by poddisruptionbudget/%s, which allows no disruption (healthy: %d, required: %d)",
			name, b.Name, b.Status.CurrentHealthy, b.Status.DesiredHealthy),
		Steps: []stuck.Step{
			{Action: stuck.ActionCheck, Description: "see what the budget requires: more ready replicas on other nodes allow the eviction", Command: stuck.Kubectlf(b.Namespace, "describe poddisruptionbudget %s", b.Name)},
			{Action: stuck.ActionDelete, Description: "delete the pod, if its service may be down until it runs elsewhere (no budget prevents that)", Command: stuck.Kubectlf(pod.Namespace, "delete pod %s", pod.Name)},
		},
	}
}

func severalBudgetsBlock(pod corev1.Pod, name string, budgets []policyv1.PodDisruptionBudget) EvictionBlock {
	var names []string
	for _, b := range budgets {
		names = append(names, b.Name)
	}
	slices.Sort(names)
	return EvictionBlock{
		Pod: pod, Culprit: stuck.Culprit{Kind: "PodDisruptionBudget", Namespace: pod.Namespace, Name: names[0]},
		Evidence: fmt.Sprintf("%s is covered by %d poddisruptionbudgets (%s); the API server evicts no pod that has more than one", name, len(budgets), strings.Join(names, ", ")),
		Steps: []stuck.Step{{
			Action:      stuck.ActionCheck,
			Description: "see which of the budgets should cover the pod: only one may", Command: stuck.Kubectlf(pod.Namespace, "get poddisruptionbudgets %s", names),
		}, {
			Action:      stuck.ActionChange,
			Description: "narrow the selector of the other budgets, so that only one covers the pod", Command: stuck.Kubectlf(pod.Namespace, "edit poddisruptionbudget %s", names[0]),
		}},
	}
}

// EvictionBlock is why a Pod may not be evicted.
type EvictionBlock struct {
	Pod      corev1.Pod
	Evidence string
	Culprit  stuck.Culprit
	Steps    []stuck.Step
}
