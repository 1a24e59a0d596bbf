package cmd

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"k8s.io/kubectl/pkg/util/term"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// askFor makes sure that the user means it: by a flag in a script, by the
// name of the target at a terminal.
func (o *removeOptions) askFor(ctx context.Context, plan removal.Plan, targets []*stuck.Diagnosis) error {
	errOut := o.program.Streams.ErrOut
	if o.confirm != "" {
		if o.confirm != plan.Token() {
			fmt.Fprintln(errOut, "error: the token does not fit: something has changed since it was printed; nothing was changed; run --dry-run=server again")
			return exitRefused
		}
		return nil
	}
	if o.yes {
		return nil
	}
	if !term.IsTerminal(o.program.Streams.In) {
		fmt.Fprintln(errOut, "error: not at a terminal, so nothing was changed: pass --yes, or --confirm with the token of --dry-run=server")
		return exitRefused
	}
	report.PlanText(errOut, planDocument(plan, ""))
	return o.typed(ctx, plan, targets)
}

// typed asks for the target's name; of several, for their number.
func (o *removeOptions) typed(ctx context.Context, plan removal.Plan, targets []*stuck.Diagnosis) error {
	want := strconv.Itoa(len(plan.Steps))
	what := "the number of objects"
	if len(targets) == 1 {
		want, what = targets[0].Object.Name, "the name of the target"
	}
	fmt.Fprintf(o.program.Streams.ErrOut, "\nThis cannot be undone. Type %s to go on (%s): ", what, want)
	if line(ctx, o.program.Streams.In) != want {
		fmt.Fprintln(o.program.Streams.ErrOut, "\nnothing was changed")
		return exitRefused
	}
	return nil
}

// line is what the user types, empty if he hangs up or presses ^C.
func line(ctx context.Context, in io.Reader) string {
	typed := make(chan string, 1)
	go func() {
		text, err := bufio.NewReader(in).ReadString('\n')
		if err != nil {
			text = "" // half a line is no answer
		}
		typed <- strings.TrimSpace(text)
	}()
	select {
	case text := <-typed:
		return text
	case <-ctx.Done():
		return ""
	}
}
