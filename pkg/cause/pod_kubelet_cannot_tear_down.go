package cause

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// PodKubeletCannotTearDown blocks a Pod whose kubelet runs and cannot finish.
var PodKubeletCannotTearDown = kit.Cause{
	ID:    "kubelet-cannot-tear-down",
	Title: "The kubelet cannot stop the pod's containers, or cannot unmount its volumes",
	Doc: kit.Doc{
		Symptoms: "A Pod is past its grace period on a node that is Ready. The Pod has Warning events `FailedKillPod` or `ExceededGracePeriod`, or all its containers are terminated and the Pod still exists.",
		Why:      "The kubelet deletes the Pod at the API server as its last step: after the containers have stopped, the volumes are unmounted and the cgroup is removed. A process that hangs in the kernel, a container runtime that does not respond, or an NFS server or disk that is unreachable blocks these steps. The kubelet reports an error of a container in an event, but an error of a volume only in its log.",
		Fix:      "Read the log of the kubelet on that node. Make the storage of the volume, or the container runtime, work again. If a process hangs in the kernel, drain the node and reboot it.",
		IfForced: "The containers may still run and the volumes may still be mounted. If another pod then mounts the same volume on another node, data is at risk.",
	},
	Applies: func(o stuck.Object) bool { return kit.IsPod(o) && o.Deleting() },
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		pod, ok := kit.PodOnReadyNode(view, o)
		if !ok {
			return nil
		}
		if kit.AllContainersStopped(*pod) {
			if !kit.IsCleanupOverdue(view, o) {
				return nil
			}
			// A driver that is missing on the node is a cause of its own.
			missing, f := kit.VolumesWithoutDriver(view, *pod), cannotCleanUpFinding(view, *pod)
			switch {
			case len(missing.Items) > 0:
				return nil
			case !missing.Complete:
				f.Steps = nil // it may be a driver
			}
			return []stuck.Finding{f}
		}
		if events := kit.WarningEvents(view, o, time.Time{}, killErrorReasons...); len(events) > 0 {
			return []stuck.Finding{cannotStopFinding(*pod, events)}
		}
		return nil
	},
}

// killErrorReasons are the events by which the kubelet reports that it could not stop a
// Pod that is being deleted (kubernetes/pkg/kubelet/events/event.go; written in
// SyncTerminatingPod and in pod_workers.go).
var killErrorReasons = []string{"FailedKillPod", "ExceededGracePeriod"}

func cannotStopFinding(pod corev1.Pod, events []string) stuck.Finding {
	f := tearDownFinding(pod)
	f.Message = "the kubelet of node/" + pod.Spec.NodeName + " cannot stop the containers of the pod"
	f.Evidence = append(events, f.Evidence...)
	return f
}

func cannotCleanUpFinding(view *cluster.View, pod corev1.Pod) stuck.Finding {
	f := tearDownFinding(pod)
	f.Message = "the kubelet of node/" + pod.Spec.NodeName + " cannot clean up the pod"
	f.Evidence = append([]string{
		fmt.Sprintf("all containers have stopped, and the pod is %s past its grace period", kit.ElapsedText(view, pod.DeletionTimestamp.Time)),
		"the kubelet has yet to unmount volumes and remove the cgroup; such errors are in its log only",
	}, f.Evidence...)
	// That much is known to have ended.
	f.OnForce = stuck.Cost{Leaves: stuck.LeakUnknown, Description: "the volumes may still be mounted on node/" + pod.Spec.NodeName + ", and the last writes may not be on disk"}
	for _, v := range pod.Spec.Volumes {
		if v.PersistentVolumeClaim != nil {
			f.Evidence = append(f.Evidence, fmt.Sprintf("volume %s is persistentvolumeclaim/%s", v.Name, v.PersistentVolumeClaim.ClaimName))
		}
		if v.NFS != nil {
			f.Evidence = append(f.Evidence, fmt.Sprintf("volume %s is the NFS export %s:%s", v.Name, v.NFS.Server, v.NFS.Path))
		}
	}
	return f
}

func tearDownFinding(pod corev1.Pod) stuck.Finding {
	f := kit.PodOnLostNodeFinding(pod)
	f.Certainty = stuck.Likely
	f.Evidence = []string{fmt.Sprintf("node/%s is Ready, and its kubelet has not reported that the pod is down", pod.Spec.NodeName)}
	f.Steps = []stuck.Step{
		{
			Action:      stuck.ActionChange,
			Description: "read the log of the kubelet for the pod (starts a debug pod on the node)",
			Command: stuck.Shellf("kubectl debug node/%s -it --image=busybox -- chroot /host journalctl -u kubelet --since=-1h --grep=%s",
				pod.Spec.NodeName, pod.UID),
		},
		{
			Action:      stuck.ActionChange,
			Description: "drain the node and then reboot it, if a process or a mount hangs in the kernel",
			Command:     stuck.Shellf("kubectl drain %s --ignore-daemonsets --delete-emptydir-data", pod.Spec.NodeName),
		},
	}
	return f
}
