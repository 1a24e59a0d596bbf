package cause

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// DeviceClaimInUse blocks a ResourceClaim while its status reserves it for a Pod
// that exists, or for a consumer that kube-controller-manager does not know.
var DeviceClaimInUse = kit.Cause{
	ID:    "device-claim-in-use",
	Title: "A pod uses the devices of the claim",
	Doc: kit.Doc{
		Symptoms: "The ResourceClaim has the finalizer `resource.kubernetes.io/delete-protection`, and its `status.reservedFor` names pods.",
		Why:      "kube-controller-manager removes a pod from `status.reservedFor` when the pod has ended or does not exist. After the last entry is removed, kube-controller-manager frees the devices (`status.allocation`) and removes the finalizer. kube-controller-manager removes only pods and pod groups: any other entry remains until the controller of that entry removes it.",
		Fix:      "Delete the pods that are named, or scale down their controller. If a deleted pod does not terminate, fix that pod first: the kubelet waits until the DRA driver of its node releases the devices. Do not uninstall a DRA driver before the pods that use the driver are deleted.",
		IfForced: "The scheduler may allocate the devices to another pod while the first pod still uses them.",
	},
	Applies: kit.DeletingWith(kit.FinalizerDeviceClaim),
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		if !o.Is("resource.k8s.io", "ResourceClaim") {
			return nil
		}
		claim, ok := cluster.ReadObject[resourcev1.ResourceClaim](view, o)
		if !ok {
			return nil
		}
		pods := consumingPods(view, *claim)
		groups := consumingPodGroups(view, *claim)
		var findings []stuck.Finding
		if len(pods)+len(groups) > 0 {
			findings = append(findings, deviceClaimInUseFinding(view, *claim, pods, groups))
		}
		if unknown := unknownConsumers(*claim); len(unknown) > 0 {
			findings = append(findings, unknownConsumersFinding(o, unknown))
		}
		return findings
	},
}

// consumingPods are the Pods for which the claim is reserved and stays so: those of the same
// uid that have not ended (isPodDone in
// kubernetes/pkg/controller/resourceclaim/controller.go).
func consumingPods(view *cluster.View, claim resourcev1.ResourceClaim) (pods []corev1.Pod) {
	if !slices.ContainsFunc(claim.Status.ReservedFor, kit.IsPodConsumer) {
		return nil
	}
	for _, pod := range view.Pods(claim.Namespace).Items {
		if slices.ContainsFunc(claim.Status.ReservedFor, func(c resourcev1.ResourceClaimConsumerReference) bool {
			return kit.IsPodConsumer(c) && c.UID == pod.UID && !kit.IsDoneWithClaims(pod)
		}) {
			pods = append(pods, pod)
		}
	}
	return pods
}

// consumingPodGroups are the pod groups for which the claim is reserved and that exist.
func consumingPodGroups(view *cluster.View, claim resourcev1.ResourceClaim) (groups []stuck.Object) {
	for _, c := range claim.Status.ReservedFor {
		if !kit.IsPodGroupConsumer(c) {
			continue
		}
		if t, served := view.TypeForResource(kit.PodGroupResource); served {
			if group := view.Metadata(t, claim.Namespace, c.Name); group.Found() && group.Value.UID == c.UID {
				groups = append(groups, stuck.ObjectOf(t, group.Value.ObjectMeta))
			}
		}
	}
	return groups
}

// unknownConsumers are the entries of status.reservedFor that kube-controller-manager keeps
// in any case, each as kubectl names it.
func unknownConsumers(claim resourcev1.ResourceClaim) (out []string) {
	for _, c := range claim.Status.ReservedFor {
		if !kit.IsPodConsumer(c) && !kit.IsPodGroupConsumer(c) {
			out = append(out, strings.TrimSuffix(c.Resource+"."+c.APIGroup, ".")+"/"+c.Name)
		}
	}
	return out
}

func deviceClaimInUseFinding(view *cluster.View, claim resourcev1.ResourceClaim, pods []corev1.Pod, groups []stuck.Object) stuck.Finding {
	f := stuck.Finding{
		Certainty: stuck.Confirmed,
		Explains:  []string{kit.FinalizerDeviceClaim},
		OnForce:   stuck.Cost{Leaves: stuck.LeakObjects, Description: "the scheduler may give the devices of the claim to another pod while the first still uses them"},
	}
	consumers := slices.Clone(groups)
	for _, pod := range pods {
		o := stuck.ObjectOf(cluster.PodType, pod.ObjectMeta)
		consumers = append(consumers, o)
		if o.Deleting() {
			continue
		}
		f.Evidence = append(f.Evidence, fmt.Sprintf("status.reservedFor names pod/%s (%s), which is not being deleted%s", pod.Name, podState(pod), kit.RecreatedClause(pod, o)))
		if step := kit.StopPodStep(view, pod, o); len(f.Steps) < 3 && !slices.Contains(f.Steps, step) {
			f.Steps = append(f.Steps, step)
		}
	}
	deleting, left := kit.SplitByDeleting(consumers)
	f.WaitsFor = deleting
	if len(left) > 0 {
		f.Verdict = stuck.Blocked
	}
	for _, group := range groups {
		if !group.Deleting() {
			f.Evidence = append(f.Evidence, fmt.Sprintf("status.reservedFor names %s, which is not being deleted", group.Ref()))
			f.Steps = append(f.Steps, stuck.Step{Action: stuck.ActionDelete, Description: "delete the pod group, after its pods", Command: stuck.Kubectlf(group.Namespace, "delete %s", group.Ref())})
		}
	}
	f.Evidence = append(f.Evidence, kit.DeviceLines(claim)...)
	f.BlockedBy = consumers[0].Culprit()
	f.Message = kit.CountByType(consumers) + " " + kit.Verb(consumers, "uses", "use") + " the devices of the claim"
	return f
}

// podState is the phase of a Pod and its node, which it may have none of yet.
func podState(pod corev1.Pod) string {
	if pod.Spec.NodeName == "" {
		return string(pod.Status.Phase) + ", not scheduled"
	}
	return fmt.Sprintf("%s on %s", pod.Status.Phase, pod.Spec.NodeName)
}

func unknownConsumersFinding(o stuck.Object, unknown []string) stuck.Finding {
	return stuck.Finding{
		Message:   "the claim is reserved for " + stuck.JoinFirst(unknown, 2) + ", which kube-controller-manager never removes from a claim",
		BlockedBy: o.Culprit(),
		Certainty: stuck.Confirmed,
		Verdict:   stuck.Blocked,
		Explains:  []string{kit.FinalizerDeviceClaim},
		Evidence: []string{
			"status.reservedFor names " + stuck.JoinFirst(unknown, stuck.MaxUngrouped),
			"kube-controller-manager removes only pods and pod groups from status.reservedFor; the controller that reserved the claim has to remove the rest",
		},
		Steps: []stuck.Step{{
			Action:      stuck.ActionCheck,
			Description: "see which field manager wrote status.reservedFor: its controller has to remove the entry",
			Command:     stuck.Kubectlf(o.Namespace, "get resourceclaim %s -o yaml --show-managed-fields", o.Name),
		}},
		OnForce: stuck.Cost{Leaves: stuck.LeakObjects, Description: "the scheduler may give the devices of the claim to a pod while the consumer still uses them"},
	}
}
