package health

import (
	"fmt"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/owner"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// controlPlane is what stands still without the parts of the control plane
// that lead by a Lease in kube-system.
var controlPlane = map[string]string{
	"kube-controller-manager":  "namespaces are not emptied, owners that wait for their dependents stay, as do claims, volumes and the pods of Jobs with their finalizers, and no Deployment gets pods",
	"kube-scheduler":           "no new pod is given a node, so a controller whose pod has to be made anew does not come back",
	"cloud-controller-manager": "load balancers keep their finalizer, and nodes that are gone in the cloud stay",
}

// ahead is by how much the renewal of a Lease may lie in the future: the time of
// the API server is known to the second.
const ahead = 5 * time.Second

// free is how long a Lease that its holder has let go of may lie there before
// somebody should have taken it.
const free = time.Minute

// elections are the Leases that somebody leads by.
type elections struct {
	all, expired int
	complete     bool
	ailments     []stuck.Ailment
}

// leases looks at every Lease by which somebody leads.
func (e *examination) leases(owners map[stuck.Culprit]*controller) elections {
	found := e.see.Elections(e.Namespace)
	if e.Namespace != "" {
		theirs := e.see.Elections(metav1.NamespaceSystem)
		found.Complete = found.Complete && theirs.Complete
		for _, l := range theirs.Items {
			if controlPlane[l.Name] != "" && e.Namespace != metav1.NamespaceSystem {
				found.Items = append(found.Items, l)
			}
		}
	}
	out := elections{all: len(found.Items), complete: found.Complete}
	var lost []coordinationv1.Lease
	for _, l := range found.Items {
		if e.lost(l) {
			lost = append(lost, l)
		}
		out.ailments = append(out.ailments, e.unsteady(l)...)
	}
	out.expired = len(lost)
	if a, ok := e.nothingWritten(lost); ok {
		out.ailments = append(out.ailments, a)
		return out
	}
	for _, l := range lost {
		a, complete := e.lostLease(l, owners)
		out.complete = out.complete && complete
		out.ailments = append(out.ailments, a)
	}
	return out
}

// lost says whether nobody leads by a Lease any more. One that was let go of on
// purpose is free for a moment.
func (e *examination) lost(l coordinationv1.Lease) bool {
	return owner.Expired(e.see, l) && (owner.HolderPod(l) != "" || e.see.Now().Sub(l.Spec.RenewTime.Time) > free)
}

// nothingWritten says that no Lease at all is renewed: then it is not their
// holders that are at fault.
func (e *examination) nothingWritten(lost []coordinationv1.Lease) (stuck.Ailment, bool) {
	if len(lost) == 0 {
		return stuck.Ailment{}, false
	}
	newest, silent := owner.LastRenewal(e.see)
	if newest == nil || !silent {
		return stuck.Ailment{}, false
	}
	return stuck.Ailment{
		State: stuck.Ill, Reason: "nothing-written", Subject: stuck.Culprit{Kind: "Lease", Namespace: newest.Namespace, Name: newest.Name},
		Summary: "nothing is written any more: etcd is out of space, or something refuses every write",
		Evidence: []string{
			fmt.Sprintf("the API server answers, but has not renewed its own lease for %s; it should every ten seconds", duration.HumanDuration(e.see.Now().Sub(newest.Spec.RenewTime.Time))),
			fmt.Sprintf("%s of others expired too", counted(len(lost), "lease")),
		},
		Hurts: []string{"no finalizer can be removed by anybody, and no controller leads"},
		Fix:   []stuck.Step{{What: "try a write, and read what it says", Command: "kubectl create configmap can-this-be-written -n default && kubectl delete configmap can-this-be-written -n default"}},
	}, true
}

// lostLease is a Lease that nobody renews, and whether it could be seen whose it
// is.
func (e *examination) lostLease(l coordinationv1.Lease, owners map[stuck.Culprit]*controller) (stuck.Ailment, bool) {
	led := owner.LedBy(e.see, l)
	a := stuck.Ailment{
		State: stuck.Doubtful, Reason: "lease-left-behind", Subject: led.Lock, Evidence: []string{led.Says},
		Fix: []stuck.Step{{What: "see who held it, and when", Command: fmt.Sprintf("kubectl -n %s get lease %s -o yaml", l.Namespace, l.Name)}},
	}
	if means := controlPlane[l.Name]; means != "" && l.Namespace == metav1.NamespaceSystem {
		a.State, a.Reason, a.Hurts = stuck.Ill, "control-plane-lease-expired", []string{means}
		a.Summary = l.Name + " does not lead: its lease has expired"
		a.Fix = append([]stuck.Step{{
			What:    "see whether its pods run (where the control plane is hosted, ask the provider)",
			Command: "kubectl -n kube-system get pods -l component=" + l.Name + " -o wide",
		}}, a.Fix...)
		return a, true
	}
	name := "lease/" + l.Name + " in namespace " + l.Namespace
	leaders, complete := owner.Leaders(e.see, l)
	for _, w := range leaders {
		if other := e.leadsOtherwise(w); other != "" {
			a.Summary = name + " has expired, and its workload leads by another"
			a.Evidence = append(a.Evidence, other)
			a.Hurts = []string{"it hurts nobody if it was left behind by another version"}
			return a, complete
		}
	}
	if len(leaders) > 0 {
		return e.leaderless(a, name, leaders[0], owners), complete
	}
	if led.Held {
		a.State, a.Reason = stuck.Ill, "lease-expired"
		a.Summary = fmt.Sprintf("%s has expired, though its holder pod/%s is there", name, owner.HolderPod(l))
		a.Hurts = []string{"whatever that pod should lead, nobody does"}
		return a, complete
	}
	a.Summary = name + " has expired"
	a.Hurts = []string{"it hurts nobody if its software is gone: no workload in its namespace goes by the name of it or of its holder; it may also have run outside the cluster"}
	if !complete {
		a.Hurts = []string{"whether anybody misses it is not known: whose it is could not be seen"}
	}
	return a, complete
}

// leadsOtherwise is another lock by which a workload's Pods lead now.
func (e *examination) leadsOtherwise(w cluster.Workload) string {
	locks, _ := owner.Leads(e.see, w)
	i := slices.IndexFunc(locks, func(l owner.Leadership) bool { return !l.Lost })
	if i < 0 {
		return ""
	}
	return locks[i].Says
}

// leaderless is the Lease of a workload that is there.
func (e *examination) leaderless(a stuck.Ailment, name string, w cluster.Workload, owners map[stuck.Culprit]*controller) stuck.Ailment {
	health := owner.Examine(e.see, w)
	a.Evidence = append(a.Evidence, health.Says...)
	if w.Desired == 0 {
		a.Summary = fmt.Sprintf("%s has expired, as %s is scaled to zero", name, w.Ref())
		a.Hurts = []string{"whatever it should do is not done"}
	} else {
		a.State, a.Reason = stuck.Ill, "lease-expired"
		a.Summary = fmt.Sprintf("none of the pods of %s in namespace %s leads: lease/%s has expired", w.Ref(), w.Namespace, a.Subject.Name)
		a.Hurts = []string{"whatever it should do is not done, even where its pods are ready"}
		a.Fix = append([]stuck.Step{
			{What: "see what its pods say of it", Command: fmt.Sprintf("kubectl -n %s logs %s --all-pods", w.Namespace, w.Ref())},
			{What: "restart it", Command: fmt.Sprintf("kubectl -n %s rollout restart %s", w.Namespace, w.Ref())},
		}, a.Fix...)
	}
	if c := owners[w.Culprit()]; c != nil {
		a.Hurts = append(a.Hurts, e.waitsFor(c)...)
	}
	return a
}

// unsteady is a Lease that is renewed in the future, or changes hands often.
func (e *examination) unsteady(l coordinationv1.Lease) []stuck.Ailment {
	var out []stuck.Ailment
	add := func(reason, summary, hurts string, fix stuck.Step) {
		out = append(out, stuck.Ailment{
			State: stuck.Doubtful, Reason: reason, Subject: stuck.Culprit{Kind: "Lease", Namespace: l.Namespace, Name: l.Name},
			Summary: "lease/" + l.Name + " in namespace " + l.Namespace + summary, Evidence: []string{owner.LedBy(e.see, l).Says},
			Hurts: []string{hurts}, Fix: []stuck.Step{fix},
		})
	}
	now := e.see.Now()
	if renewed := l.Spec.RenewTime; renewed != nil && renewed.Sub(now) > ahead {
		by := duration.HumanDuration(renewed.Sub(now))
		add("lease-in-the-future", " was renewed "+by+" in the future: its holder's clock is ahead of the API server's",
			"who goes by the time in the lease takes its holder for alive for "+by+" after its end, and where rivals' clocks differ by more than the lease is good for, two may lead at once",
			stuck.Step{What: "set the clock of the machine that the holder runs on", Command: fmt.Sprintf("kubectl -n %s get lease %s -o jsonpath='{.spec.holderIdentity}'", l.Namespace, l.Name)})
	}
	if age := now.Sub(l.CreationTimestamp.Time); l.Spec.LeaseTransitions != nil && many(int(*l.Spec.LeaseTransitions), age) {
		add("lease-changes-hands", fmt.Sprintf(" has changed hands %s in %s", times(int(*l.Spec.LeaseTransitions)), duration.HumanDuration(age)),
			"with every change its controllers list everything again before they go on",
			stuck.Step{What: "see in its holders' logs why they lose it: restarts, a slow API server, too little CPU", Command: fmt.Sprintf("kubectl -n %s get lease %s -o yaml", l.Namespace, l.Name)})
	}
	return out
}
