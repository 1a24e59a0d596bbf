package controller

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Leadership is a lock by which one Pod of a workload leads.
type Leadership struct {
	Lock stuck.Culprit
	// Lost says that nobody leads: the lock is held by somebody who is gone or
	// has stopped renewing it.
	Lost bool
	// Renewed is when it was last renewed, zero for a lock that a Pod holds for life.
	Renewed time.Time
	// HolderExists says that the Pod which holds it, lost as it is, is still there.
	HolderExists bool
	Description  string
}

// Leaderships looks for the locks that a workload's Pods lead by: Leases, and
// ConfigMaps that a Pod holds for life. All says that they could all be read.
func Leaderships(view *cluster.View, w cluster.Workload) (out []Leadership, all bool) {
	leases, locks := view.Leases(w.Namespace), view.LeaderForLifeLocks(w.Namespace)
	for _, lease := range leases.Items {
		if isLeaseOf(w, lease) {
			out = append(out, LeadershipByLease(view, lease))
		}
	}
	for _, lock := range locks.Items {
		for _, ownerRef := range lock.Owners {
			if ownerRef.Kind == "Pod" && isPodNameOf(w, ownerRef.Name) {
				out = append(out, LeadershipByPodLock(view, lock, ownerRef.Name))
			}
		}
	}
	return out, leases.Complete && locks.Complete
}

// isLeaseOf reports whether a Lease is one that a workload's Pods lead by.
func isLeaseOf(w cluster.Workload, lease cluster.Lease) bool {
	return isPodNameOf(w, HolderPod(lease)) || matchesName(w, lease.Name)
}

// WorkloadsLedBy are the workloads whose Pods lead by a Lease, by the name of its holder
// or by its own; all says that every workload beside it could be read.
func WorkloadsLedBy(view *cluster.View, lease cluster.Lease) (found []cluster.Workload, all bool) {
	workloads := view.Workloads(lease.Namespace)
	for _, w := range workloads.Items {
		if isLeaseOf(w, lease) {
			found = append(found, w)
		}
	}
	return found, workloads.Complete
}

// podNameSuffix is what Pods have after the name of their Deployment or DaemonSet:
// the hash of a template, and a few random letters, in the alphabet of
// k8s.io/apimachinery/pkg/util/rand; or their number in a StatefulSet.
var podNameSuffix = regexp.MustCompile(`^-(([bcdfghjklmnpqrstvwxz2456789]{1,10}-)?[bcdfghjklmnpqrstvwxz2456789]{1,5}|[0-9]+)$`)

// isPodNameOf reports whether a Pod of this name is one of the workload's, and not of
// another whose name begins like it.
func isPodNameOf(w cluster.Workload, pod string) bool {
	rest, ok := strings.CutPrefix(pod, w.Name)
	return ok && podNameSuffix.MatchString(rest)
}

func holderIdentity(lease cluster.Lease) string {
	if lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}

// HolderPod is the Pod that holds a Lease, if a Pod does: identities made by
// client-go are "<host name>_<random>", and a Pod's host name is its name.
func HolderPod(lease cluster.Lease) string {
	pod, _, _ := strings.Cut(holderIdentity(lease), "_")
	return pod
}

// LeadershipByLease is how the holder of a Lease keeps it.
func LeadershipByLease(view *cluster.View, lease cluster.Lease) Leadership {
	out := Leadership{Lock: stuck.Culprit{Kind: "Lease", Namespace: lease.Namespace, Name: lease.Name}}
	if lease.Spec.RenewTime == nil || lease.Spec.LeaseDurationSeconds == nil {
		out.Description = fmt.Sprintf("lease/%s has no renewTime", lease.Name)
		return out
	}
	lease, out.Lost = lease.Expired(view)
	out.Renewed = lease.Spec.RenewTime.Time
	age := lease.Age()
	when := duration.HumanDuration(age) + " ago"
	if age < -time.Second {
		when = duration.HumanDuration(-age) + " in the future"
	}
	out.Description = fmt.Sprintf("lease/%s was renewed %s by %s", lease.Name, when, cmp.Or(holderIdentity(lease), "no holder"))
	if out.Lost {
		out.Description += fmt.Sprintf(" (leaseDurationSeconds: %d)", *lease.Spec.LeaseDurationSeconds)
	}
	pod := HolderPod(lease)
	if out.Lost && len(validation.IsDNS1123Subdomain(pod)) == 0 {
		exists, known := view.PodExists(lease.Namespace, pod)
		if out.HolderExists = exists; known && !exists {
			out.Description += "; pod/" + pod + " does not exist"
		}
	}
	return out
}

// LeadershipByPodLock is a lock that lasts as long as the Pod that holds it
// (operator-framework/operator-lib/leader).
func LeadershipByPodLock(view *cluster.View, lock stuck.Object, pod string) Leadership {
	out := Leadership{Lock: stuck.Culprit{Kind: "ConfigMap", Namespace: lock.Namespace, Name: lock.Name}}
	out.Description = fmt.Sprintf("pod/%[2]s holds configmap/%[1]s as a leader-for-life lock", lock.Name, pod)
	if exists, known := view.PodExists(lock.Namespace, pod); known && !exists {
		out.Lost = true
		out.Description += "; pod/" + pod + " does not exist"
	}
	return out
}

// ExpiredLeaderships are the locks of a workload if nobody holds any of them, and
// whether that could be seen. A workload that acted on the object after a lock was last
// renewed, or elects no leader, does not need it: an earlier installation left it behind.
func ExpiredLeaderships(view *cluster.View, o Controller, c Candidate) (lost []Leadership, known bool) {
	all, known := Leaderships(view, c.Workload)
	acted := lastWrite(view, o, c.Workload)
	for _, l := range all {
		switch {
		case !l.Lost:
			return nil, known
		case l.Renewed.IsZero() || acted.Before(l.Renewed.Add(actedAfter)) && !electsNoLeader(o, c.Workload):
			lost = append(lost, l)
		}
	}
	return lost, known
}

// actedAfter is how long after the last renewal of its lock a leader may still act.
const actedAfter = time.Minute

// lastWrite is when a workload last wrote the object, by the name of its field manager.
func lastWrite(view *cluster.View, o Controller, w cluster.Workload) (last time.Time) {
	for _, m := range Writers(view, o) {
		if RunsAs(w, m.Name) && m.LastWrite.After(last) {
			last = m.LastWrite
		}
	}
	return last
}

// electsNoLeader reports whether the command line of a workload's main container turns leader election off.
func electsNoLeader(o Controller, w cluster.Workload) bool {
	var component catalog.Component
	if len(o.CatalogMatch.Entries) == 1 {
		component = o.CatalogMatch.Entries[0].Component
	}
	container, ok := MainContainer(w, component)
	if !ok {
		return false
	}
	flags := slices.Concat(container.Command, container.Args)
	for _, name := range []string{"leader-elect", "leader-election", "enable-leader-election", "leader-election-enabled"} {
		if value, state := flagIn(flags, catalog.Setting{Flag: "--" + name}); state == settingSet {
			on, err := strconv.ParseBool(value)
			return err == nil && !on
		}
	}
	return false
}
