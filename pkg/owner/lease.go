package owner

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Leadership is a lock by which one Pod of a workload leads.
type Leadership struct {
	Lock stuck.Culprit
	// Lost says that nobody leads: the lock is held by somebody who is gone or
	// has stopped renewing it.
	Lost bool
	// Held says that the Pod which holds it, lost as it is, is still there.
	Held bool
	Says string
}

// Leads looks for the locks that a workload's Pods lead by: Leases, and
// ConfigMaps that a Pod holds for life. All says that they could all be read.
func Leads(see *cluster.View, w cluster.Workload) (out []Leadership, all bool) {
	leases, locks := see.Leases(w.Namespace), see.Locks(w.Namespace)
	for _, lease := range leases.Items {
		if ledBy(w, lease) {
			out = append(out, LedBy(see, lease))
		}
	}
	for _, lock := range locks.Items {
		for _, by := range lock.Owners {
			if by.Kind == "Pod" && podOf(w, by.Name) {
				out = append(out, ForLife(see, lock, by.Name))
			}
		}
	}
	return out, leases.Complete && locks.Complete
}

// ledBy says whether a Lease is one that a workload's Pods lead by.
func ledBy(w cluster.Workload, lease coordinationv1.Lease) bool {
	return podOf(w, HolderPod(lease)) || called(w, lease.Name)
}

// Leaders are the workloads whose Pods lead by a Lease, by the name of its holder
// or by its own; all says that every workload beside it could be read.
func Leaders(see *cluster.View, lease coordinationv1.Lease) (found []cluster.Workload, all bool) {
	runs := see.Workloads(lease.Namespace)
	for _, w := range runs.Items {
		if ledBy(w, lease) {
			found = append(found, w)
		}
	}
	return found, runs.Complete
}

// podName is what Pods have after the name of their Deployment or DaemonSet:
// the hash of a template, and a few random letters, in the alphabet of
// k8s.io/apimachinery/pkg/util/rand; or their number in a StatefulSet.
var podName = regexp.MustCompile(`^-(([bcdfghjklmnpqrstvwxz2456789]{1,10}-)?[bcdfghjklmnpqrstvwxz2456789]{1,5}|[0-9]+)$`)

// podOf says whether a Pod of this name is one of the workload's, and not of
// another whose name begins like it.
func podOf(w cluster.Workload, pod string) bool {
	rest, ok := strings.CutPrefix(pod, w.Name)
	return ok && podName.MatchString(rest)
}

func holderOf(lease coordinationv1.Lease) string {
	if lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}

// HolderPod is the Pod that holds a Lease, if a Pod does: identities made by
// client-go are "<host name>_<random>", and a Pod's host name is its name.
func HolderPod(lease coordinationv1.Lease) string {
	pod, _, _ := strings.Cut(holderOf(lease), "_")
	return pod
}

// LedBy is how the holder of a Lease keeps it.
func LedBy(see *cluster.View, lease coordinationv1.Lease) Leadership {
	out := Leadership{Lock: stuck.Culprit{Kind: "Lease", Namespace: lease.Namespace, Name: lease.Name}}
	if lease.Spec.RenewTime == nil || lease.Spec.LeaseDurationSeconds == nil {
		out.Says = fmt.Sprintf("lease/%s does not say when it was renewed", lease.Name)
		return out
	}
	age := see.Now().Sub(lease.Spec.RenewTime.Time)
	out.Lost = Expired(see, lease)
	when := duration.HumanDuration(age) + " ago"
	if age < -time.Second {
		when = duration.HumanDuration(-age) + " in the future"
	}
	out.Says = fmt.Sprintf("lease/%s was renewed %s by %s", lease.Name, when, cmp.Or(holderOf(lease), "nobody"))
	if out.Lost {
		out.Says += fmt.Sprintf(", and is good for %ds", *lease.Spec.LeaseDurationSeconds)
	}
	pod := HolderPod(lease)
	if out.Lost && len(validation.IsDNS1123Subdomain(pod)) == 0 {
		exists, known := see.PodExists(lease.Namespace, pod)
		if out.Held = exists; known && !exists {
			out.Says += "; no pod of that name exists"
		}
	}
	return out
}

// Expired says whether a Lease has not been renewed for twice its duration:
// then its holder has given it up or lost it, and nobody has taken it since.
func Expired(see *cluster.View, lease coordinationv1.Lease) bool {
	spec := lease.Spec
	if spec.RenewTime == nil || spec.LeaseDurationSeconds == nil {
		return false
	}
	return see.Now().Sub(spec.RenewTime.Time) > 2*time.Duration(*spec.LeaseDurationSeconds)*time.Second
}

// ForLife is a lock that lasts as long as the Pod that holds it
// (operator-framework/operator-lib/leader).
func ForLife(see *cluster.View, lock stuck.Object, pod string) Leadership {
	out := Leadership{Lock: stuck.Culprit{Kind: "ConfigMap", Namespace: lock.Namespace, Name: lock.Name}}
	out.Says = fmt.Sprintf("configmap/%s is held for life by pod/%s", lock.Name, pod)
	if exists, known := see.PodExists(lock.Namespace, pod); known && !exists {
		out.Lost = true
		out.Says += ", which no longer exists"
	}
	return out
}

// renewals is how many renewals in a row all API servers have to miss before it
// tells anything.
const renewals = 4

// LastRenewal is the Lease that an API server has renewed last, and whether that
// is too long ago for servers that can write: they renew theirs every ten
// seconds. Without a Lease nothing is known.
func LastRenewal(see *cluster.View) (newest *coordinationv1.Lease, silent bool) {
	all := see.APIServerLeases()
	for i, l := range all.Items {
		if l.Spec.RenewTime != nil && (newest == nil || newest.Spec.RenewTime.Before(l.Spec.RenewTime)) {
			newest = &all.Items[i]
		}
	}
	return newest, newest != nil && see.Now().Sub(newest.Spec.RenewTime.Time) > renewals*10*time.Second
}
