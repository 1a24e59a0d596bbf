package cluster

import (
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
)

// LeaseExpired reports whether a Lease has not been renewed for twice its duration:
// then its holder has given it up or lost it, and nobody has taken it since.
func LeaseExpired(view *View, lease coordinationv1.Lease) bool {
	spec := lease.Spec
	if spec.RenewTime == nil || spec.LeaseDurationSeconds == nil {
		return false
	}
	return view.Now().Sub(spec.RenewTime.Time) > 2*time.Duration(*spec.LeaseDurationSeconds)*time.Second
}

// maxMissedRenewals is how many renewals in a row all API servers have to miss before it
// tells anything.
const maxMissedRenewals = 4

// NewestAPIServerLease is the Lease that an API server has renewed last, and whether that
// is too long ago for servers that can write: they renew theirs every ten
// seconds. Without a Lease nothing is known.
func NewestAPIServerLease(view *View) (newest *coordinationv1.Lease, expired bool) {
	all := view.APIServerLeases()
	for i, l := range all.Items {
		if l.Spec.RenewTime != nil && (newest == nil || newest.Spec.RenewTime.Before(l.Spec.RenewTime)) {
			newest = &all.Items[i]
		}
	}
	return newest, newest != nil && view.Now().Sub(newest.Spec.RenewTime.Time) > maxMissedRenewals*10*time.Second
}
