package health

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// controlPlaneImpact is what does not work without the components of the control plane
// that lead by a Lease in kube-system.
var controlPlaneImpact = map[string]string{
	"kube-controller-manager":  "namespaces, claims, volumes, pods of Jobs and owners with foregroundDeletion are not deleted; Deployments get no pods",
	"kube-scheduler":           "new pods are not scheduled, so a controller whose pod is recreated does not start",
	"cloud-controller-manager": "finalizers of load balancers are not removed, and nodes that were deleted in the cloud are not deleted",
}

// clockTolerance is by how much the renewal of a Lease may lie in the future: the time of
// the API server is known to the second.
const clockTolerance = 5 * time.Second

// releaseGrace is how long a Lease that its holder released may have no holder.
const releaseGrace = time.Minute

// leaseResult is the result for the Leases of leader election.
type leaseResult struct {
	total, expired int
	complete       bool
	problems       []stuck.Problem
}

// checkLeases reads every Lease of leader election. managerFinalizers are those that
// kube-controller-manager removes.
func (c *checker) checkLeases(byWorkload map[stuck.Culprit]*controllerWorkload, managerFinalizers []typeFinalizer) leaseResult {
	found := c.view.LeaderElectionLeases(c.Namespace)
	if c.Namespace != "" {
		systemLeases := c.view.LeaderElectionLeases(metav1.NamespaceSystem)
		found.Complete = found.Complete && systemLeases.Complete
		for _, l := range systemLeases.Items {
			if isControlPlaneLease(l) && c.Namespace != metav1.NamespaceSystem {
				found.Items = append(found.Items, l)
			}
		}
	}
	found.Items = c.relevantLeases(found.Items, byWorkload)
	out := leaseResult{total: len(found.Items), complete: found.Complete}
	var lost []cluster.Lease
	for _, l := range found.Items {
		if c.isLost(l) {
			lost = append(lost, l)
		}
		out.problems = append(out.problems, c.leaseWarnings(l)...)
	}
	out.expired = len(lost)
	if a, ok := c.noLeaseRenewed(lost); ok {
		out.problems = append(out.problems, a)
		return out
	}
	for _, l := range lost {
		a, complete := c.lostLeaseProblem(l, byWorkload, managerFinalizers)
		out.complete = out.complete && complete
		out.problems = append(out.problems, a)
	}
	return out
}

// relevantLeases are the Leases that the checks are about: where those are limited to
// some types, the Leases of their controllers and of the control plane.
func (c *checker) relevantLeases(all []cluster.Lease, byWorkload map[stuck.Culprit]*controllerWorkload) []cluster.Lease {
	if c.includesType(cluster.LeaseType.Group, cluster.LeaseType.Resource) {
		return all
	}
	relevant := map[stuck.Culprit]bool{}
	for _, w := range byWorkload {
		locks, _ := controller.Leaderships(c.view, w.Workload)
		for _, l := range locks {
			relevant[l.Lock] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(l cluster.Lease) bool {
		return !relevant[leaseSubject(l)] && !isControlPlaneLease(l)
	})
}

func leaseSubject(l cluster.Lease) stuck.Culprit {
	return stuck.Culprit{Kind: "Lease", Namespace: l.Namespace, Name: l.Name}
}

func isControlPlaneLease(l cluster.Lease) bool {
	return l.Namespace == metav1.NamespaceSystem && controlPlaneImpact[l.Name] != ""
}

// isLost reports whether no one leads by a Lease any more. One that its holder released
// has no holder for a moment.
func (c *checker) isLost(l cluster.Lease) bool {
	expired, ok := l.Expired(c.view)
	return ok && (controller.HolderPod(l) != "" || expired.Age() > releaseGrace)
}

// noLeaseRenewed is the problem where no Lease at all is renewed: then their holders are
// not the cause.
func (c *checker) noLeaseRenewed(lost []cluster.Lease) (stuck.Problem, bool) {
	if len(lost) == 0 {
		return stuck.Problem{}, false
	}
	newest, expired := cluster.NewestAPIServerLease(c.view)
	if newest == nil || !expired {
		return stuck.Problem{}, false
	}
	return stuck.Problem{
		State: stuck.Unhealthy, Reason: "nothing-written", Causes: []string{cause.APIServerCannotWrite.ID}, Subject: leaseSubject(*newest),
		Message: "no lease is renewed: etcd may be out of space, or writes are rejected",
		Evidence: []string{
			fmt.Sprintf("the API server responds, but has not renewed its own lease/%s for %s (it does so every 10s)", newest.Name, duration.HumanDuration(newest.Age())),
			fmt.Sprintf("%s of leader election expired", stuck.Count(len(lost), "lease")),
		},
		Impact: []string{"no controller leads; if every write is rejected, no finalizer can be removed"},
		Steps:  []stuck.Step{{Action: stuck.ActionChange, Description: "create and delete a ConfigMap to see the error of a write", Command: "kubectl create configmap write-test -n default && kubectl delete configmap write-test -n default"}},
	}, true
}

// lostLeaseProblem is the problem of a Lease that is not renewed, and whether its
// workload could be looked for.
func (c *checker) lostLeaseProblem(l cluster.Lease, byWorkload map[stuck.Culprit]*controllerWorkload, managerFinalizers []typeFinalizer) (stuck.Problem, bool) {
	led := controller.LeadershipByLease(c.view, l)
	problem := stuck.Problem{
		State: stuck.Warning, Reason: "lease-left-behind", Subject: led.Lock, Evidence: []string{led.Description},
		Steps: []stuck.Step{{Action: stuck.ActionCheck, Description: fmt.Sprintf("who held lease/%s, and when?", l.Name), Command: stuck.Kubectlf(l.Namespace, "get lease %s -o yaml", l.Name)}},
	}
	if isControlPlaneLease(l) {
		problem.State, problem.Reason, problem.Impact = stuck.Unhealthy, "control-plane-lease-expired", []string{controlPlaneImpact[l.Name]}
		problem.Message = fmt.Sprintf("%s does not lead: %s expired", l.Name, stuck.RefInNamespace("lease", l.Name, l.Namespace))
		if l.Name == "kube-controller-manager" {
			problem.Blocks, problem.Causes = c.blockedByControllerManager(managerFinalizers), []string{cause.KubeControllerManagerDown.ID}
			problem.Evidence = append(problem.Evidence, c.leasePolicyEvidence()...)
		}
		problem.Steps = append([]stuck.Step{{
			Action:      stuck.ActionCheck,
			Description: fmt.Sprintf("is %s running? (In a hosted control plane, ask the provider.)", l.Name),
			Command:     stuck.Shellf("kubectl -n kube-system get pods -l component=%s -o wide", l.Name),
		}}, problem.Steps...)
		return problem, true
	}
	name := stuck.RefInNamespace("lease", l.Name, l.Namespace)
	leaders, complete := controller.WorkloadsLedBy(c.view, l)
	for _, w := range leaders {
		if other := c.otherLeadership(w); other != "" {
			problem.Message = fmt.Sprintf("%s expired, but %s leads by another lock", name, w.Ref())
			problem.Evidence = append(problem.Evidence, other)
			problem.Impact = []string{"none, if another version of the software left this lease behind"}
			return problem, complete
		}
	}
	if len(leaders) > 0 {
		return c.workloadLeaseProblem(problem, name, leaders[0], byWorkload), complete
	}
	if led.HolderExists {
		problem.State, problem.Reason = stuck.Unhealthy, "lease-expired"
		problem.Message = fmt.Sprintf("%s expired, but its holder pod/%s exists", name, controller.HolderPod(l))
		problem.Impact = []string{"no pod leads, so the work of the leader is not done"}
		return problem, complete
	}
	problem.Message = name + " expired"
	problem.Impact = []string{fmt.Sprintf("none, if its software was uninstalled: no workload -n %s has the name of the lease or of its holder (it may also run outside the cluster)", l.Namespace)}
	if !complete {
		problem.Impact = []string{fmt.Sprintf("not known: the workloads -n %s could not be read", l.Namespace)}
	}
	return problem, complete
}

// blockedByControllerManager are the stuck namespaces, and the stuck objects with a
// finalizer that kube-controller-manager removes.
func (c *checker) blockedByControllerManager(finalizers []typeFinalizer) []stuck.Object {
	collected := c.stuckWithFinalizer(func(_ stuck.Object, finalizer string) bool {
		return finalizer == metav1.FinalizerDeleteDependents || finalizer == metav1.FinalizerOrphanDependents
	})
	return slices.Concat(c.stuckNamespaces(), c.blockedBy(finalizers), c.snapshot.withNamespaces(collected))
}

// otherLeadership describes another lock by which a workload's Pods lead now.
func (c *checker) otherLeadership(w cluster.Workload) string {
	locks, _ := controller.Leaderships(c.view, w)
	i := slices.IndexFunc(locks, func(l controller.Leadership) bool { return !l.Lost })
	if i < 0 {
		return ""
	}
	return locks[i].Description
}

// workloadLeaseProblem is the problem of the expired Lease of an existing workload.
func (c *checker) workloadLeaseProblem(problem stuck.Problem, leaseName string, w cluster.Workload, byWorkload map[stuck.Culprit]*controllerWorkload) stuck.Problem {
	health := controller.CheckHealth(c.view, w)
	problem.Evidence = append(problem.Evidence, health.Evidence...)
	if health.Fault == controller.FaultScaledToZero {
		problem.Message = fmt.Sprintf("%s expired: %s is scaled to 0", leaseName, w.Ref())
		problem.Impact = []string{fmt.Sprintf("the work of %s is not done", w.Ref())}
		problem.Steps = append([]stuck.Step{{Action: stuck.ActionChange, Description: fmt.Sprintf("scale up %s", w.Ref()), Command: stuck.Kubectlf(w.Namespace, "scale %s --replicas=1", w.Ref())}}, problem.Steps...)
	} else {
		problem.State, problem.Reason, problem.Causes = stuck.Unhealthy, "lease-expired", []string{cause.ControllerLeaseExpired.ID}
		problem.Message = fmt.Sprintf("no pod of %s leads: lease/%s expired", w.RefInNamespace(), problem.Subject.Name)
		problem.Impact = []string{fmt.Sprintf("the work of %s is not done, even where its pods are ready", w.Ref())}
		logs := stuck.Step{Action: stuck.ActionCheck, Description: fmt.Sprintf("why does no pod of %s lead?", w.Ref()), Command: stuck.Kubectlf(w.Namespace, "logs %s --all-pods", w.Ref())}
		restart := stuck.Step{Action: stuck.ActionChange, Description: fmt.Sprintf("restart %s", w.Ref()), Command: stuck.Kubectlf(w.Namespace, "rollout restart %s", w.Ref())}
		steps := slices.Concat([]stuck.Step{logs}, problem.Steps, []stuck.Step{restart})
		if health.Fault == controller.FaultCannotStart { // it has no logs, and no restart starts it
			steps = append([]stuck.Step{cannotStartStep(w)}, problem.Steps...)
		}
		problem.Steps = steps
	}
	if known := byWorkload[w.Culprit()]; known != nil {
		problem.Blocks = c.blockedBy(known.finalizers)
	}
	return problem
}

// leaseWarnings are the warnings for a Lease with a renewTime in the future, or with
// frequent changes of its holder.
func (c *checker) leaseWarnings(l cluster.Lease) []stuck.Problem {
	var out []stuck.Problem
	add := func(reason, text, impact string, step stuck.Step) {
		out = append(out, stuck.Problem{
			State: stuck.Warning, Reason: reason, Subject: leaseSubject(l),
			Message: stuck.RefInNamespace("lease", l.Name, l.Namespace) + text, Evidence: []string{controller.LeadershipByLease(c.view, l).Description},
			Impact: []string{impact}, Steps: []stuck.Step{step},
		})
	}
	now := c.view.Now()
	if renewed := l.Spec.RenewTime; renewed != nil && renewed.Sub(now) > clockTolerance {
		by := duration.HumanDuration(renewed.Sub(now))
		add("lease-in-the-future", " has a renewTime "+by+" in the future: the clock of its holder is ahead of the API server's",
			"candidates that compare this time with their own clock wait "+by+" too long after the holder stops; two pods may lead at once",
			stuck.Step{Action: stuck.ActionCheck, Description: "which pod is the holder? Correct the clock of its node", Command: stuck.Kubectlf(l.Namespace, "get lease %s -o jsonpath='{.spec.holderIdentity}'", l.Name)})
	}
	if age := now.Sub(l.CreationTimestamp.Time); l.Spec.LeaseTransitions != nil && exceedsHourly(int(*l.Spec.LeaseTransitions), age) {
		add("lease-changes-hands", fmt.Sprintf(" changed its holder %s in %s", countTimes(int(*l.Spec.LeaseTransitions)), duration.HumanDuration(age)),
			"with every change the new leader lists all objects again before it works",
			stuck.Step{Action: stuck.ActionCheck, Description: "why do the holders lose the lease? See their logs: restarts, a slow API server, too little CPU", Command: stuck.Kubectlf(l.Namespace, "get lease %s -o yaml", l.Name)})
	}
	return out
}
