package health

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// controlPlaneImpact is what stands still without the parts of the control plane
// that lead by a Lease in kube-system.
var controlPlaneImpact = map[string]string{
	"kube-controller-manager":  "namespaces are not emptied, owners that wait for their dependents stay, as do claims, volumes and the pods of Jobs with their finalizers, and no Deployment gets pods",
	"kube-scheduler":           "no new pod is given a node, so a controller whose pod has to be made anew does not come back",
	"cloud-controller-manager": "load balancers keep their finalizer, and nodes that are gone in the cloud stay",
}

// clockTolerance is by how much the renewal of a Lease may lie in the future: the time of
// the API server is known to the second.
const clockTolerance = 5 * time.Second

// releaseGrace is how long a Lease that its holder has let go of may lie there before
// somebody should have taken it.
const releaseGrace = time.Minute

// leaseResult are the Leases that somebody leads by.
type leaseResult struct {
	total, expired int
	complete       bool
	problems       []stuck.Problem
}

// checkLeases looks at every Lease by which somebody leads.
func (c *checker) checkLeases(byWorkload map[stuck.Culprit]*controllerWorkload) leaseResult {
	found := c.view.LeaderElectionLeases(c.Namespace)
	if c.Namespace != "" {
		systemLeases := c.view.LeaderElectionLeases(metav1.NamespaceSystem)
		found.Complete = found.Complete && systemLeases.Complete
		for _, l := range systemLeases.Items {
			if controlPlaneImpact[l.Name] != "" && c.Namespace != metav1.NamespaceSystem {
				found.Items = append(found.Items, l)
			}
		}
	}
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
		a, complete := c.lostLeaseProblem(l, byWorkload)
		out.complete = out.complete && complete
		out.problems = append(out.problems, a)
	}
	return out
}

// isLost reports whether nobody leads by a Lease any more. One that was let go of on
// purpose is free for a moment.
func (c *checker) isLost(l cluster.Lease) bool {
	expired, ok := l.Expired(c.view)
	return ok && (controller.HolderPod(l) != "" || expired.Age() > releaseGrace)
}

// noLeaseRenewed says that no Lease at all is renewed: then it is not their
// holders that are at fault.
func (c *checker) noLeaseRenewed(lost []cluster.Lease) (stuck.Problem, bool) {
	if len(lost) == 0 {
		return stuck.Problem{}, false
	}
	newest, expired := cluster.NewestAPIServerLease(c.view)
	if newest == nil || !expired {
		return stuck.Problem{}, false
	}
	return stuck.Problem{
		State: stuck.Unhealthy, Reason: "nothing-written", Subject: stuck.Culprit{Kind: "Lease", Namespace: newest.Namespace, Name: newest.Name},
		Summary: "nothing is written any more: etcd is out of space, or something refuses every write",
		Evidence: []string{
			fmt.Sprintf("the API server answers, but has not renewed its own lease for %s; it should every ten seconds", duration.HumanDuration(newest.Age())),
			fmt.Sprintf("%s of others expired too", stuck.Count(len(lost), "lease")),
		},
		Impact: []string{"no finalizer can be removed by anybody, and no controller leads"},
		Steps:  []stuck.Step{{Action: stuck.ActionDelete, Description: "try a write, and read what it says", Command: "kubectl create configmap can-this-be-written -n default && kubectl delete configmap can-this-be-written -n default"}},
	}, true
}

// lostLeaseProblem is a Lease that nobody renews, and whether it could be seen whose it
// is.
func (c *checker) lostLeaseProblem(l cluster.Lease, byWorkload map[stuck.Culprit]*controllerWorkload) (stuck.Problem, bool) {
	led := controller.LeadershipByLease(c.view, l)
	problem := stuck.Problem{
		State: stuck.Warning, Reason: "lease-left-behind", Subject: led.Lock, Evidence: []string{led.Description},
		Steps: []stuck.Step{{Action: stuck.ActionCheck, Description: "see who held it, and when", Command: stuck.Kubectlf(l.Namespace, "get lease %s -o yaml", l.Name)}},
	}
	if means := controlPlaneImpact[l.Name]; means != "" && l.Namespace == metav1.NamespaceSystem {
		problem.State, problem.Reason, problem.Impact = stuck.Unhealthy, "control-plane-lease-expired", []string{means}
		problem.Summary = l.Name + " does not lead: its lease has expired"
		problem.Steps = append([]stuck.Step{{
			Action:      stuck.ActionCheck,
			Description: "see whether its pods run (where the control plane is hosted, ask the provider)",
			Command:     stuck.Shellf("kubectl -n kube-system get pods -l component=%s -o wide", l.Name),
		}}, problem.Steps...)
		return problem, true
	}
	name := "lease/" + l.Name + " -n " + l.Namespace
	leaders, complete := controller.WorkloadsLedBy(c.view, l)
	for _, w := range leaders {
		if other := c.otherLeadership(w); other != "" {
			problem.Summary = name + " has expired, and its workload leads by another"
			problem.Evidence = append(problem.Evidence, other)
			problem.Impact = []string{"it hurts nobody if it was left behind by another version"}
			return problem, complete
		}
	}
	if len(leaders) > 0 {
		return c.workloadLeaseProblem(problem, name, leaders[0], byWorkload), complete
	}
	if led.HolderExists {
		problem.State, problem.Reason = stuck.Unhealthy, "lease-expired"
		problem.Summary = fmt.Sprintf("%s has expired, though its holder pod/%s is there", name, controller.HolderPod(l))
		problem.Impact = []string{"whatever that pod should lead, nobody does"}
		return problem, complete
	}
	problem.Summary = name + " has expired"
	problem.Impact = []string{"it hurts nobody if its software is gone: no workload in its namespace goes by the name of it or of its holder; it may also have run outside the cluster"}
	if !complete {
		problem.Impact = []string{"whether anybody misses it is not known: whose it is could not be seen"}
	}
	return problem, complete
}

// otherLeadership is another lock by which a workload's Pods lead now.
func (c *checker) otherLeadership(w cluster.Workload) string {
	locks, _ := controller.Leaderships(c.view, w)
	i := slices.IndexFunc(locks, func(l controller.Leadership) bool { return !l.Lost })
	if i < 0 {
		return ""
	}
	return locks[i].Description
}

// workloadLeaseProblem is the Lease of a workload that is there.
func (c *checker) workloadLeaseProblem(problem stuck.Problem, leaseName string, w cluster.Workload, byWorkload map[stuck.Culprit]*controllerWorkload) stuck.Problem {
	health := controller.CheckHealth(c.view, w)
	problem.Evidence = append(problem.Evidence, health.Evidence...)
	if health.Fault == controller.FaultScaledToZero {
		problem.Summary = fmt.Sprintf("%s has expired, as %s is scaled to zero", leaseName, w.Ref())
		problem.Impact = []string{"whatever it should do is not done"}
		problem.Steps = append([]stuck.Step{{Action: stuck.ActionChange, Description: "scale it up again", Command: stuck.Kubectlf(w.Namespace, "scale %s --replicas=1", w.Ref())}}, problem.Steps...)
	} else {
		problem.State, problem.Reason = stuck.Unhealthy, "lease-expired"
		problem.Summary = fmt.Sprintf("none of the pods of %s -n %s leads: lease/%s has expired", w.Ref(), w.Namespace, problem.Subject.Name)
		problem.Impact = []string{"whatever it should do is not done, even where its pods are ready"}
		steps := []stuck.Step{
			{Action: stuck.ActionCheck, Description: "see what its pods say of it", Command: stuck.Kubectlf(w.Namespace, "logs %s --all-pods", w.Ref())},
			{Action: stuck.ActionChange, Description: "restart it", Command: stuck.Kubectlf(w.Namespace, "rollout restart %s", w.Ref())},
		}
		if health.Fault == controller.FaultCannotStart { // which has no logs, and no restart starts
			steps = []stuck.Step{cannotStartStep(w)}
		}
		problem.Steps = append(steps, problem.Steps...)
	}
	if known := byWorkload[w.Culprit()]; known != nil {
		problem.Impact = append(problem.Impact, c.controllerImpact(known)...)
	}
	return problem
}

// leaseWarnings is a Lease that is renewed in the future, or changes hands often.
func (c *checker) leaseWarnings(l cluster.Lease) []stuck.Problem {
	var out []stuck.Problem
	add := func(reason, summary, impact string, fix stuck.Step) {
		out = append(out, stuck.Problem{
			State: stuck.Warning, Reason: reason, Subject: stuck.Culprit{Kind: "Lease", Namespace: l.Namespace, Name: l.Name},
			Summary: "lease/" + l.Name + " -n " + l.Namespace + summary, Evidence: []string{controller.LeadershipByLease(c.view, l).Description},
			Impact: []string{impact}, Steps: []stuck.Step{fix},
		})
	}
	now := c.view.Now()
	if renewed := l.Spec.RenewTime; renewed != nil && renewed.Sub(now) > clockTolerance {
		by := duration.HumanDuration(renewed.Sub(now))
		add("lease-in-the-future", " was renewed "+by+" in the future: its holder's clock is ahead of the API server's",
			"who goes by the time in the lease takes its holder for alive for "+by+" after its end, and where rivals' clocks differ by more than the lease is good for, two may lead at once",
			stuck.Step{Action: stuck.ActionCheck, Description: "set the clock of the machine that the holder runs on", Command: stuck.Kubectlf(l.Namespace, "get lease %s -o jsonpath='{.spec.holderIdentity}'", l.Name)})
	}
	if age := now.Sub(l.CreationTimestamp.Time); l.Spec.LeaseTransitions != nil && exceedsHourly(int(*l.Spec.LeaseTransitions), age) {
		add("lease-changes-hands", fmt.Sprintf(" has changed hands %s in %s", countTimes(int(*l.Spec.LeaseTransitions)), duration.HumanDuration(age)),
			"with every change its controllers list everything again before they go on",
			stuck.Step{Action: stuck.ActionCheck, Description: "see in its holders' logs why they lose it: restarts, a slow API server, too little CPU", Command: stuck.Kubectlf(l.Namespace, "get lease %s -o yaml", l.Name)})
	}
	return out
}
