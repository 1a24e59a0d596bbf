package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

// WithReadBudget gives the reads of a command one deadline between them. Each
// request has a timeout of its own, but a command sends hundreds, and against a
// server that hangs on each it would go on for many minutes. The context itself
// does not end: what was not read in time is a gap, and the command goes on
// with what it has.
func WithReadBudget(ctx context.Context, budget time.Duration) context.Context {
	timed, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	deadline, _ := timed.Deadline()
	return context.WithValue(ctx, readBudgetKey{}, readBudget{deadline, budget})
}

// WithoutReadBudget lifts the deadline, for what goes on for as long as it takes.
func WithoutReadBudget(ctx context.Context) context.Context {
	return context.WithValue(ctx, readBudgetKey{}, nil)
}

type readBudgetKey struct{}

type readBudget struct {
	deadline time.Time
	budget   time.Duration
}

// readBudgetError is the error of a read for which no time is left.
type readBudgetError struct{ budget time.Duration }

func (e *readBudgetError) Error() string {
	return fmt.Sprintf("not read: the command's time of %s was over (a longer timeout of requests, --request-timeout, extends it)", duration.HumanDuration(e.budget))
}

// LimitRead is a context for one read, which ends with the budget of its command.
func LimitRead(ctx context.Context) (context.Context, context.CancelFunc) {
	b, ok := ctx.Value(readBudgetKey{}).(readBudget)
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadlineCause(ctx, b.deadline, &readBudgetError{b.budget})
}

// ReadError is the error of a read in a context of LimitRead: that the time was
// over, where that is what ended it.
func ReadError(ctx context.Context, err error) error {
	var over *readBudgetError
	if err != nil && errors.As(context.Cause(ctx), &over) {
		return over
	}
	return err
}
