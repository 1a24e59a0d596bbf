package cmd

import (
	"context"
	"errors"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// healthInterval is how long after the start of the checks they are repeated at the earliest:
// each time costs the API server some requests for each type.
const healthInterval = time.Minute

// checkWatch refuses flags that cannot be used with --watch.
func (f healthFlags) checkWatch() error {
	switch {
	case !f.watch:
		return nil
	case f.output.chosen != "" && f.output.chosen != "wide":
		return errors.New("--watch prints text: use it without -o, or with -o wide")
	case f.outputFile.path != "":
		return errors.New("--watch cannot be used with --output-file: it runs until it is interrupted")
	case f.exitCode:
		return errors.New("--watch cannot be used with --exit-code: it runs until it is interrupted")
	}
	return nil
}

// follow prints the report of the first run of the checks, then what changes, and a summary when
// the user interrupts it, which is no failure.
func (o *healthOptions) follow(ctx context.Context, found stuck.Health) error {
	log := report.NewHealthLog(o.server.Now(), found)
	if err := o.print(found); err != nil {
		return err
	}
	began := o.program.Clock().Add(-found.Duration)
	for pause(ctx, healthInterval-o.program.Clock().Sub(began)) {
		began = o.program.Clock()
		o.server.ResetClockSpread()
		found, err := o.read(withReadBudget(ctx, o.flags, o.duration))
		if ctx.Err() != nil {
			break
		}
		failure := ""
		if err != nil {
			failure = errorText(err, o.flags)
		}
		if err := log.Write(o.program.Streams.Out, o.server.Now(), found, failure, o.program.width); err != nil {
			return err
		}
	}
	return log.WriteSummary(o.program.Streams.Out, o.server.Now(), o.program.width)
}

// pause waits, and reports whether the context is still alive.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(max(0, d))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return ctx.Err() == nil
	}
}
