package controller

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Root is what is behind a fault of a workload, one step further, as far as it could be
// read. The zero value says nothing.
type Root struct {
	// Text is a clause that follows "cannot start": "image x cannot be pulled".
	Text string
	// Culprit is what is at fault instead of the workload, nil where that is the workload
	// itself: many workloads can have the same.
	Culprit *stuck.Culprit
	// Evidence is what was read of it.
	Evidence []string
	Steps    []stuck.Step
}

func objectRoot(kind, namespace, name, clause string) Root {
	c := stuck.Culprit{Kind: kind, Namespace: namespace, Name: name}
	return Root{Text: c.String() + " " + clause, Culprit: &c}
}

// imageErrors are the reasons for which a container waits for its image
// (kubernetes/pkg/kubelet/images/types.go).
var imageErrors = []string{"ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName", "RegistryUnavailable", "SignatureValidationFailed"}

// podRoot is what is behind a Pod that has a fault. Where a container crashes, its node and
// what it needs at its start are there.
func podRoot(view *cluster.View, pod corev1.Pod, fault Fault) Root {
	for _, status := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		switch waiting, last := status.State.Waiting, status.LastTerminationState.Terminated; {
		case waiting != nil && slices.Contains(imageErrors, waiting.Reason):
			return Root{Text: "image " + stuck.EscapeLine(status.Image) + " cannot be pulled"}
		case last != nil && last.Reason == "OOMKilled" && !status.Ready:
			return Root{Text: fmt.Sprintf("container %s exceeds its memory limit (OOMKilled)", status.Name)}
		}
	}
	if fault == FaultCrashLooping {
		return Root{}
	}
	if clause := nodeProblem(view, pod.Spec.NodeName); clause != "" {
		root := objectRoot("Node", "", pod.Spec.NodeName, clause)
		root.Steps = []stuck.Step{{Action: stuck.ActionCheck, Description: "see what happened to node/" + pod.Spec.NodeName + ", and which pods it has", Command: stuck.Shellf("kubectl get pods -A -o wide --field-selector=spec.nodeName=%s", pod.Spec.NodeName)}}
		return root
	}
	return missingPodReference(view, pod)
}

// missingPodReference is a Secret, a ConfigMap or a claim that a Pod cannot start without
// and that does not exist. Only Pods that have not started are asked about.
func missingPodReference(view *cluster.View, pod corev1.Pod) Root {
	waits := slices.ContainsFunc(pod.Status.ContainerStatuses, func(s corev1.ContainerStatus) bool { return s.State.Waiting != nil })
	if pod.Status.Phase != corev1.PodPending && !waits {
		return Root{}
	}
	for _, ref := range podReferences(pod.Spec) {
		if ref.name == "" || !view.Metadata(ref.t, pod.Namespace, ref.name).Absent() {
			continue
		}
		root := objectRoot(ref.t.Kind, pod.Namespace, ref.name, "does not exist")
		root.Evidence = []string{fmt.Sprintf("pod/%s requires %s, which does not exist", pod.Name, root.Culprit)}
		root.Steps = []stuck.Step{{Action: stuck.ActionChange, Description: fmt.Sprintf("recreate %s: from a backup, or with what installed it", root.Culprit)}}
		return root
	}
	return Root{}
}

// podReference is an object of its namespace that a Pod names.
type podReference struct {
	t    stuck.Type
	name string
}

// podReferences are the Secrets, ConfigMaps and claims without which a Pod does not start.
func podReferences(spec corev1.PodSpec) (out []podReference) {
	required := func(optional *bool) bool { return optional == nil || !*optional }
	for _, v := range spec.Volumes {
		switch {
		case v.Secret != nil && required(v.Secret.Optional):
			out = append(out, podReference{cluster.SecretType, v.Secret.SecretName})
		case v.ConfigMap != nil && required(v.ConfigMap.Optional):
			out = append(out, podReference{cluster.ConfigMapType, v.ConfigMap.Name})
		case v.PersistentVolumeClaim != nil:
			out = append(out, podReference{cluster.PersistentVolumeClaimType, v.PersistentVolumeClaim.ClaimName})
		}
	}
	for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
		for _, from := range c.EnvFrom {
			switch {
			case from.SecretRef != nil && required(from.SecretRef.Optional):
				out = append(out, podReference{cluster.SecretType, from.SecretRef.Name})
			case from.ConfigMapRef != nil && required(from.ConfigMapRef.Optional):
				out = append(out, podReference{cluster.ConfigMapType, from.ConfigMapRef.Name})
			}
		}
		for _, env := range c.Env {
			switch {
			case env.ValueFrom == nil:
			case env.ValueFrom.SecretKeyRef != nil && required(env.ValueFrom.SecretKeyRef.Optional):
				out = append(out, podReference{cluster.SecretType, env.ValueFrom.SecretKeyRef.Name})
			case env.ValueFrom.ConfigMapKeyRef != nil && required(env.ValueFrom.ConfigMapKeyRef.Optional):
				out = append(out, podReference{cluster.ConfigMapType, env.ValueFrom.ConfigMapKeyRef.Name})
			}
		}
	}
	return out
}
