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
	Says string
}

// Leads looks for the locks that a workload's Pods lead by: Leases, and
// ConfigMaps that a Pod holds for life. All says that they could all be read.
func Leads(see *cluster.View, w cluster.Workload) (out []Leadership, all bool) {
	leases, locks := see.Leases(w.Namespace), see.Locks(w.Namespace)
	for _, lease := range leases.Items {
		if holder := holderOf(lease); podOf(w, strings.SplitN(holder, "_", 2)[0]) || called(w, lease.Name) {
			out = append(out, leads(see, lease, holder))
		}
	}
	for _, lock := range locks.Items {
		for _, by := range lock.Owners {
			if by.Kind == "Pod" && podOf(w, by.Name) {
				out = append(out, forLife(see, lock, by.Name))
			}
		}
	}
	return out, leases.Complete && locks.Complete
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

func leads(see *cluster.View, lease coordinationv1.Lease, holder string) Leadership {
	out := Leadership{Lock: stuck.Culprit{Kind: "Lease", Namespace: lease.Namespace, Name: lease.Name}}
	if lease.Spec.RenewTime == nil || lease.Spec.LeaseDurationSeconds == nil {
		out.Says = fmt.Sprintf("lease/%s does not say when it was renewed", lease.Name)
		return out
	}
	age := see.Now().Sub(lease.Spec.RenewTime.Time)
	out.Lost = Expired(see, lease)
	out.Says = fmt.Sprintf("lease/%s was renewed %s ago by %s", lease.Name, duration.HumanDuration(age), cmp.Or(holder, "nobody"))
	if out.Lost {
		out.Says += fmt.Sprintf(", and is good for %ds", *lease.Spec.LeaseDurationSeconds)
	}
	// Identities made by client-go are "<host name>_<random>", and a Pod's host
	// name is its name.
	pod, _, _ := strings.Cut(holder, "_")
	if out.Lost && len(validation.IsDNS1123Subdomain(pod)) == 0 {
		if exists, known := see.PodExists(lease.Namespace, pod); known && !exists {
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

// forLife is a lock that lasts as long as the Pod that holds it
// (operator-framework/operator-lib/leader).
func forLife(see *cluster.View, lock stuck.Object, pod string) Leadership {
	out := Leadership{Lock: stuck.Culprit{Kind: "ConfigMap", Namespace: lock.Namespace, Name: lock.Name}}
	out.Says = fmt.Sprintf("configmap/%s is held for life by pod/%s", lock.Name, pod)
	if exists, known := see.PodExists(lock.Namespace, pod); known && !exists {
		out.Lost = true
		out.Says += ", which no longer exists"
	}
	return out
}
