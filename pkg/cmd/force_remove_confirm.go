package cmd

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/kubectl/pkg/util/term"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// askFor makes sure that the user means it. At a terminal he types the name of
// the target; of several, their number.
func (o *removeOptions) askFor(ctx context.Context, plan removal.Plan, targets []*stuck.Diagnosis) error {
	c := confirmation{
		streams: o.program.Streams, yes: o.yes, given: o.confirm, token: plan.Token(),
		show: func() { report.PlanText(o.program.Streams.ErrOut, planDocument(plan, "")) },
		says: "This cannot be undone.", want: strconv.Itoa(len(plan.Steps)), what: "the number of objects",
	}
	if len(targets) == 1 {
		c.want, c.what = targets[0].Object.Name, "the name of the target"
	}
	return c.ask(ctx)
}

// confirmation is how the user says that he means it: in a script by a flag, at
// a terminal by typing what he means. Anywhere else the answer is no.
type confirmation struct {
	streams genericiooptions.IOStreams
	yes     bool
	// given is the token that was given, and token the one that fits.
	given, token string
	// show shows what is to be confirmed, and says is what to know of it.
	show func()
	says string
	// want is what is to be typed, and what says what that is.
	want, what string
}

func (c confirmation) ask(ctx context.Context) error {
	errOut := c.streams.ErrOut
	switch {
	case c.given != "" && c.given != c.token:
		fmt.Fprintln(errOut, "error: the token does not fit: something has changed since it was printed; nothing was changed; run --dry-run=server again")
		return exitRefused
	case c.given != "" || c.yes:
		return nil
	case !term.IsTerminal(c.streams.In):
		fmt.Fprintln(errOut, "error: not at a terminal, so nothing was changed: pass --yes, or --confirm with the token of --dry-run=server")
		return exitRefused
	}
	c.show()
	fmt.Fprintf(errOut, "\n%s Type %s to go on (%s): ", c.says, c.what, c.want)
	if line(ctx, c.streams.In) != c.want {
		fmt.Fprintln(errOut, "\nnothing was changed")
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
