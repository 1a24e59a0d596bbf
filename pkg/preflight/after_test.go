package preflight

import (
	"errors"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// doubtfulSource is a source whose time is doubtful in every way.
type doubtfulSource struct{ cluster.Source }

var errNoAges = errors.New("no ages")

func (doubtfulSource) ClockSpread() time.Duration { return time.Hour }
func (doubtfulSource) ClockSkew() time.Duration   { return time.Minute }
func (doubtfulSource) LeaseAgesError() error      { return errNoAges }

// TestTheClockStaysDoubtful holds that a deletion makes no clock better.
func TestTheClockStaysDoubtful(t *testing.T) {
	a := &after{Source: doubtfulSource{}}
	spread, skew, err := cluster.ClockSpread(a), cluster.ClockSkew(a), cluster.LeaseAgesError(a)
	if spread != time.Hour || skew != time.Minute || !errors.Is(err, errNoAges) {
		t.Errorf("the times differ by %s, the clock is %s ahead, ages: %v", spread, skew, err)
	}
}
