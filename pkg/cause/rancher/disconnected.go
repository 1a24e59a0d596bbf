package rancher

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Rancher's server runs in the namespace of this name, and so does the agent
// through which it reaches any other cluster.
const (
	rancherNamespace = "cattle-system"
	rancherServer    = "rancher"
	rancherAgent     = "cattle-cluster-agent"
)

// Disconnected holds what Rancher has put its finalizers on, in a
// cluster that it does not reach any more.
var Disconnected = kit.Cause{
	ID:    "rancher-disconnected",
	Title: "Rancher cannot reach the cluster",
	Doc: kit.Doc{
		Symptoms: "A namespace or another object has a finalizer such as `controller.cattle.io/namespace-auth`, and the Deployment `cattle-cluster-agent` in the namespace `cattle-system` does not exist or has no ready pod.",
		Why:      "Rancher adds finalizers to objects of the clusters that it manages, and removes these finalizers through its agent in the cluster. The agent was uninstalled, the cluster was removed from Rancher without the cleanup of Rancher, or Rancher itself was uninstalled.",
		Fix:      "Connect the cluster again: recreate the agent, or register the cluster again. If Rancher was uninstalled permanently, run the cluster cleanup of Rancher, which removes all finalizers of Rancher.",
		IfForced: "Role bindings and project data of the object are left behind in Rancher.",
	},
	Applies: func(o stuck.Object) bool { return o.Deleting() && len(finalizersOf(o)) > 0 },
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		running := view.Workloads(rancherNamespace)
		i := slices.IndexFunc(running.Items, isDeploymentNamed(rancherAgent))
		switch {
		case !running.Complete || slices.ContainsFunc(running.Items, isDeploymentNamed(rancherServer)):
			// Where its server runs it needs no agent.
			return nil
		case i < 0:
			return []stuck.Finding{disconnectedFinding(o, fmt.Sprintf("%s does not exist", stuck.RefInNamespace("deployment", rancherAgent, rancherNamespace)),
				stuck.Step{Action: stuck.ActionChange, Description: "register the cluster in Rancher again, which installs the agent"},
				stuck.Step{Action: stuck.ActionCheck, Description: "see whether the agent then runs", Command: stuck.Kubectlf(rancherNamespace, "get deployment %s", rancherAgent)})}
		case running.Items[i].Ready == 0:
			w := running.Items[i]
			return []stuck.Finding{disconnectedFinding(o, fmt.Sprintf("%s: %d of %d ready", w.RefInNamespace(), w.Ready, w.Desired), stuck.Step{
				Action:      stuck.ActionCheck,
				Description: "see why the agent does not run",
				Command:     stuck.Kubectlf(rancherNamespace, "describe %s", w.Ref()),
			})}
		}
		return nil
	},
}

// finalizersOf are those of Rancher's lifecycles, whatever their names
// (rancher/norman lifecycle/object.go).
func finalizersOf(o stuck.Object) []string {
	return slices.DeleteFunc(slices.Clone(o.Finalizers), func(f string) bool { return !strings.HasPrefix(f, "controller.cattle.io/") })
}

func isDeploymentNamed(name string) func(cluster.Workload) bool {
	return func(w cluster.Workload) bool { return w.Type.Kind == "Deployment" && w.Name == name }
}

func disconnectedFinding(o stuck.Object, says string, first ...stuck.Step) stuck.Finding {
	return stuck.Finding{
		Message:   fmt.Sprintf("the Rancher agent %s does not run", stuck.RefInNamespace("deployment", rancherAgent, rancherNamespace)),
		BlockedBy: stuck.Culprit{Kind: "Deployment", Namespace: rancherNamespace, Name: rancherAgent},
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Explains:  finalizersOf(o),
		Evidence: []string{
			says,
			fmt.Sprintf("%s does not exist either: the Rancher server runs in another cluster, or was uninstalled", stuck.RefInNamespace("deployment", rancherServer, rancherNamespace)),
		},
		Steps: append(first,
			kit.ForceStep(o, "remove the finalizers, only if Rancher was uninstalled or no longer manages the cluster", finalizersOf(o))),
		OnForce: stuck.Cost{Leaves: stuck.LeakObjects, Description: fmt.Sprintf("what Rancher stores about %s, such as role bindings, is left behind in Rancher", o.Name)},
	}
}
