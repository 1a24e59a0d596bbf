package preflight

import (
	"errors"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// wrongClock is a source whose time is not known in any way.
type wrongClock struct{ cluster.Source }

var errNoAges = errors.New("no ages")

func (wrongClock) ClockSpread() time.Duration { return time.Hour }
func (wrongClock) ClockSkew() time.Duration   { return time.Minute }
func (wrongClock) LeaseAgesError() error      { return errNoAges }

// TestTheClockStaysUnknown holds that a deletion makes no clock better.
func TestTheClockStaysUnknown(t *testing.T) {
	a := &after{Source: wrongClock{}}
	spread, skew, err := cluster.ClockSpread(a), cluster.ClockSkew(a), cluster.LeaseAgesError(a)
	if spread != time.Hour || skew != time.Minute || !errors.Is(err, errNoAges) {
		t.Errorf("the times differ by %s, the clock is %s ahead, ages: %v", spread, skew, err)
	}
}
