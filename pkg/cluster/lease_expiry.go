package cluster

import (
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Lease is a Lease together with the moment at which it was read.
type Lease struct {
	coordinationv1.Lease
	// ReadAt is the source's time when it was read. A view keeps what it has read:
	// minutes later, when something else hangs, that says nothing about its holder.
	ReadAt time.Time
	// reread asks for it in the same way once more.
	reread func(*View) Answer[Lease]
}

// Age is how long ago it was renewed when it was read, zero where it does not
// say, or by a clock that is ahead.
func (l Lease) Age() time.Duration {
	if l.Spec.RenewTime == nil {
		return 0
	}
	return max(0, l.ReadAt.Sub(l.Spec.RenewTime.Time))
}

func (l Lease) duration() time.Duration {
	if l.Spec.LeaseDurationSeconds == nil {
		return 0
	}
	return time.Duration(*l.Spec.LeaseDurationSeconds) * time.Second
}

// IsRenewed reports whether its holder renewed it in time. One that is late, but
// not for twice its duration, is neither renewed nor expired.
func (l Lease) IsRenewed() bool {
	return l.Spec.RenewTime != nil && l.duration() > 0 && l.Age() <= l.duration()
}

// isOverdue reports whether it was not renewed for twice its duration.
func (l Lease) isOverdue() bool {
	return l.Spec.RenewTime != nil && l.Spec.LeaseDurationSeconds != nil && l.Age() > 2*l.duration()
}

// Expired is the Lease as it was read once more, if it has not been renewed for
// twice its duration and nobody renewed it in between: then its holder has given
// it up or lost it, and nobody has taken it since.
func (l Lease) Expired(v *View) (Lease, bool) {
	if !l.isOverdue() {
		return l, false
	}
	again := v.uncached()
	answer := l.reread(again)
	v.AddGaps(again.Gaps()...)
	if !v.knowsAgeOf(l) || !answer.Found() || !answer.Value.isOverdue() || !answer.Value.Spec.RenewTime.Equal(l.Spec.RenewTime) {
		return l, false
	}
	return *answer.Value, true
}

// maxClockSpread is how far the times in the server's answers may differ before none of them
// is believed: less does not make a Lease in use look expired.
const maxClockSpread = 25 * time.Second

// knowsAgeOf reports whether the age of a Lease is known: the server's answers agree on the time, no other clock contradicts them,
// and a dump says when it read what.
func (v *View) knowsAgeOf(l Lease) bool {
	if err := LeaseAgesError(v.shared.source); err != nil {
		v.AddGaps(stuck.Gap{Source: "the ages of Leases", Error: err.Error()})
		return false
	}
	doubt := l.doubtAge(ClockSpread(v.shared.source), ClockSkew(v.shared.source))
	if doubt == "" {
		return true
	}
	v.AddGaps(stuck.Gap{Source: "the time", Error: doubt + ": the ages of Leases are not known; correct the clock of the API server or proxy that is wrong"})
	return false
}

// doubtAge says why the age by the server's clock is not believed, or nothing. A proxy may write the Date of all answers: then a
// Lease that is old by that Date, and was renewed this moment by the clock of the machine that reads it, is in use. A holder that
// has been gone for just as long as the clocks differ looks the same, but only for two minutes.
func (l Lease) doubtAge(spread, skew time.Duration) string {
	if spread > maxClockSpread {
		return fmt.Sprintf("the Date of the API server's responses differs by up to %s", duration.HumanDuration(spread))
	}
	if skew <= maxClockSpread || (l.Age()-skew).Abs() > time.Minute {
		return ""
	}
	return fmt.Sprintf("the Date of the API server's responses is %s ahead of the clock of the machine that reads them, by which Lease %s was renewed just now",
		duration.HumanDuration(skew), l.Name)
}

// maxMissedRenewals is how many renewals in a row all API servers have to miss before it
// says anything.
const maxMissedRenewals = 4

// NewestAPIServerLease is the Lease that an API server has renewed last, and whether that
// is too long ago for servers that can write: they renew theirs every ten
// seconds. Without a Lease nothing is known.
func NewestAPIServerLease(view *View) (newest *Lease, expired bool) {
	newest, expired = newestRenewed(view.APIServerLeases())
	if !expired {
		return newest, false
	}
	again := view.uncached()
	newest, expired = newestRenewed(again.APIServerLeases())
	view.AddGaps(again.Gaps()...)
	return newest, expired && view.knowsAgeOf(*newest)
}

func newestRenewed(all List[Lease]) (newest *Lease, expired bool) {
	for i, l := range all.Items {
		if l.Spec.RenewTime != nil && (newest == nil || newest.Spec.RenewTime.Before(l.Spec.RenewTime)) {
			newest = &all.Items[i]
		}
	}
	return newest, newest != nil && newest.Age() > maxMissedRenewals*10*time.Second
}
