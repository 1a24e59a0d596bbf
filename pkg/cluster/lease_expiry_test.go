package cluster_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

var leaseTime = time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)

// leaseRenewed is a Lease of 15 seconds, as kube-controller-manager has it.
func leaseRenewed(at time.Time) recording.Answer {
	return recording.Answer{
		Question: "get leases.coordination.k8s.io/kube-controller-manager in kube-system",
		Objects: []map[string]any{{
			"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
			"metadata": map[string]any{"namespace": "kube-system", "name": "kube-controller-manager"},
			"spec":     map[string]any{"leaseDurationSeconds": int64(15), "renewTime": at.Format(metav1.RFC3339Micro)},
		}},
	}
}

func readLease(t *testing.T, recorded *recording.Recording) (*cluster.View, cluster.Lease) {
	t.Helper()
	view := cluster.NewView(t.Context(), recorded.Source(nil), nil, nil)
	answer := view.Lease("kube-system", "kube-controller-manager")
	if !answer.Found() {
		t.Fatalf("the lease was not read: %v", view.Gaps())
	}
	return view, *answer.Value
}

func TestLeaseIsRenewedLateOrExpired(t *testing.T) {
	for name, test := range map[string]struct {
		age              time.Duration
		renewed, expired bool
	}{
		"just renewed":                           {age: 2 * time.Second, renewed: true},
		"within its duration":                    {age: 14 * time.Second, renewed: true},
		"late: neither":                          {age: 23 * time.Second},
		"not renewed for twice its duration":     {age: 31 * time.Second, expired: true},
		"renewed in the future by another clock": {age: -time.Minute, renewed: true},
	} {
		t.Run(name, func(t *testing.T) {
			view, lease := readLease(t, &recording.Recording{Time: leaseTime, Answers: []recording.Answer{leaseRenewed(leaseTime.Add(-test.age))}})
			if got := lease.IsRenewed(); got != test.renewed {
				t.Errorf("renewed: %t, want %t", got, test.renewed)
			}
			if _, got := lease.Expired(view); got != test.expired {
				t.Errorf("expired: %t, want %t", got, test.expired)
			}
		})
	}
}

// What else hangs makes the answers of a view old, and no controller dead.
func TestAgeOfALeaseIsThatOfItsRead(t *testing.T) {
	recorded := &recording.Recording{Time: leaseTime, Answers: []recording.Answer{leaseRenewed(leaseTime.Add(-time.Second))}}
	view, lease := readLease(t, recorded)
	recorded.Time = leaseTime.Add(2 * time.Minute)
	if again := view.Lease("kube-system", "kube-controller-manager"); again.Value.Age() != time.Second {
		t.Errorf("two minutes after it was read the lease is %s old, not a second", again.Value.Age())
	}
	if _, expired := lease.Expired(view); expired {
		t.Error("a lease has expired because something else took long")
	}
}

// A read may itself have taken long, from a cache that was behind: before a
// holder is called down, its Lease is read once more.
func TestExpiredLeaseIsReadAgain(t *testing.T) {
	recorded := &recording.Recording{Time: leaseTime, Answers: []recording.Answer{leaseRenewed(leaseTime.Add(-time.Minute))}}
	source := &replaceableSource{recorded.Source(nil)}
	view := cluster.NewView(t.Context(), source, nil, nil)
	lease := view.Lease("kube-system", "kube-controller-manager")
	source.Source = (&recording.Recording{Time: leaseTime, Answers: []recording.Answer{leaseRenewed(leaseTime.Add(-time.Second))}}).Source(nil)
	if _, expired := lease.Value.Expired(view); expired {
		t.Error("a lease that was renewed since it was read has expired")
	}
}

// replaceableSource is a source whose answers change.
type replaceableSource struct{ cluster.Source }

// unsteadySource is a server whose answers do not agree on the time, or not with the clock of this machine.
type unsteadySource struct {
	cluster.Source
	spread, skew time.Duration
}

func (s unsteadySource) ClockSpread() time.Duration { return s.spread }
func (s unsteadySource) ClockSkew() time.Duration   { return s.skew }

func TestExpiryIsNotKnownWithoutATime(t *testing.T) {
	for name, test := range map[string]struct {
		spread, skew time.Duration
		known        bool
	}{
		"one time":                                       {known: true},
		"times that differ by little":                    {spread: 20 * time.Second, known: true},
		"times that differ":                              {spread: time.Hour},
		"this machine is behind":                         {skew: 20 * time.Minute, known: true},
		"this machine is ahead":                          {skew: -time.Hour, known: true},
		"the Lease is renewed by this machine's clock":   {skew: time.Hour},
		"and was a moment ago":                           {skew: time.Hour - 10*time.Second},
		"and will be, as this machine's clock is behind": {skew: time.Hour + 10*time.Second},
	} {
		recorded := &recording.Recording{Time: leaseTime, Answers: []recording.Answer{leaseRenewed(leaseTime.Add(-time.Hour))}}
		view := cluster.NewView(t.Context(), unsteadySource{Source: recorded.Source(nil), spread: test.spread, skew: test.skew}, nil, nil)
		lease := view.Lease("kube-system", "kube-controller-manager")
		if _, expired := lease.Value.Expired(view); expired != test.known {
			t.Errorf("%s: it is expired: %t, want %t", name, expired, test.known)
		}
		if gaps := view.Gaps(); (len(gaps) == 0) != test.known {
			t.Errorf("%s: the gaps are %v", name, gaps)
		}
	}
}
