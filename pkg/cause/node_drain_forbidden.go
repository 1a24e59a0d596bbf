package cause

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// The finalizers of controllers that drain a node before they end its machine.
const (
	// openshift/api/machine/v1beta1/types_machine.go
	finalizerOpenShiftMachine = "machine.machine.openshift.io"
)

// NodeDrainForbidden blocks a Node, or the object that stands for its machine, whose
// Pods cannot be evicted.
var NodeDrainForbidden = kit.Cause{
	ID:    "drain-forbidden",
	Title: "A node cannot be drained: pods on it cannot be evicted",
	Doc: kit.Doc{
		Symptoms: "A Node or NodeClaim has the finalizer `karpenter.sh/termination`, or a Machine has the finalizer `machine.cluster.x-k8s.io` or `machine.machine.openshift.io`. The node is cordoned. A PodDisruptionBudget that covers a Pod on the node has `disruptionsAllowed: 0`, or a Pod on the node has the annotation `karpenter.sh/do-not-disrupt`.",
		Why:      "The controller drains the node before it terminates the machine: it evicts the Pods through the API server, which checks the PodDisruptionBudgets. A budget that allows no disruption, such as `minAvailable: 1` for one replica, prevents the eviction indefinitely. Two budgets that cover the same Pod prevent the eviction too.",
		Fix:      "Get enough replicas ready on other nodes, or relax the budget until the node is deleted. A budget does not prevent `kubectl delete pod`, but the service of the Pod is then down until a new Pod runs on another node.",
		IfForced: "The machine keeps running, unmanaged and billed, and its Pods are cut off from the cluster.",
	},
	ControllerNext: true,
	Applies:        func(o stuck.Object) bool { return o.Deleting() && drainFinalizer(o) != "" },
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		name := nodeNameOf(view, o)
		if name == "" {
			return nil
		}
		node := view.Node(name)
		// A drain begins with a cordon. Before that the controller itself may be
		// what is missing.
		if !node.Found() || !isCordoned(*node.Value) {
			return nil
		}
		var blocks []kit.EvictionBlock
		for _, pod := range view.PodsOnNode(name).Items {
			if h, ok := kit.EvictionBlockOf(view, o, pod); ok {
				blocks = append(blocks, h)
			}
		}
		if len(blocks) == 0 {
			return nil
		}
		return []stuck.Finding{drainForbidden(o, name, blocks)}
	},
}

// drainFinalizer is the finalizer of the object that waits for a drain, if it has one.
func drainFinalizer(o stuck.Object) string {
	for _, f := range []string{kit.FinalizerKarpenter, kit.FinalizerMachine, finalizerOpenShiftMachine} {
		if o.HasFinalizer(f) && (o.Is("", "Node") || o.Is("karpenter.sh", "NodeClaim") || o.Type.Kind == "Machine") {
			return f
		}
	}
	return ""
}

// excludeDrainAnnotations are the annotations of Machines that are deleted without a drain
// (cluster-api/api/core/v1beta2/machine_types.go, and OpenShift's machine-api-operator).
var excludeDrainAnnotations = []string{"machine.cluster.x-k8s.io/exclude-node-draining", "machine.openshift.io/exclude-node-draining"}

// machine is what is read of the objects that stand for a machine: the Machine
// of Cluster API and of OpenShift, and the NodeClaim of Karpenter.
type machine struct {
	metav1.ObjectMeta `json:"metadata"`
	Status            struct {
		// NodeName is a NodeClaim's, NodeRef a Machine's.
		NodeName string `json:"nodeName"`
		NodeRef  struct {
			Name string `json:"name"`
		} `json:"nodeRef"`
	} `json:"status"`
}

// nodeNameOf is the name of the node that an object stands for and that is to be
// drained, empty where there is none or it is not known.
func nodeNameOf(view *cluster.View, o stuck.Object) string {
	if o.Is("", "Node") {
		return o.Name
	}
	machine, ok := cluster.ReadObject[machine](view, o)
	if !ok {
		return ""
	}
	for _, annotation := range excludeDrainAnnotations {
		if _, ok := machine.Annotations[annotation]; ok {
			return ""
		}
	}
	if machine.Status.NodeName != "" {
		return machine.Status.NodeName
	}
	return machine.Status.NodeRef.Name
}

// isCordoned reports whether the node is unschedulable: Karpenter uses a taint of its
// own, others do as kubectl does.
func isCordoned(node corev1.Node) bool {
	return node.Spec.Unschedulable || slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool {
		return strings.HasPrefix(t.Key, "karpenter.sh/disrupt")
	})
}

func drainForbidden(o stuck.Object, node string, blocks []kit.EvictionBlock) stuck.Finding {
	slices.SortFunc(blocks, func(a, b kit.EvictionBlock) int {
		return strings.Compare(a.Pod.Namespace+"/"+a.Pod.Name, b.Pod.Namespace+"/"+b.Pod.Name)
	})
	first := blocks[0]
	f := stuck.Finding{
		Message:   fmt.Sprintf("node/%s cannot be drained: %s cannot be evicted", node, stuck.RefInNamespace("pod", first.Pod.Name, first.Pod.Namespace)),
		BlockedBy: first.Culprit,
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Explains:  []string{drainFinalizer(o)},
		OnForce:   kit.MachineCost(node),
	}
	if len(blocks) > 1 {
		f.Message = fmt.Sprintf("node/%s cannot be drained: %d pods on it cannot be evicted", node, len(blocks))
	}
	for i, h := range blocks {
		if i == stuck.MaxUngrouped {
			f.Evidence = append(f.Evidence, fmt.Sprintf("and %d more pods", len(blocks)-i))
			break
		}
		f.Evidence = append(f.Evidence, h.Evidence)
		for _, s := range h.Steps {
			if !slices.Contains(f.Steps, s) && i < 2 {
				f.Steps = append(f.Steps, s)
			}
		}
	}
	return f
}
