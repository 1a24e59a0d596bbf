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

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
)

// confirmPlan makes sure that the user means it. At a terminal they type the name of
// the target; of several, their number.
func (o *removeOptions) confirmPlan(ctx context.Context, screen report.PlanScreen) error {
	plan, targets := screen.Plan, screen.Targets
	c := confirmation{
		streams: o.program.Streams, yes: o.yes, givenToken: o.confirm, token: plan.Token(),
		show:    func() { report.PlanText(o.program.Streams.ErrOut, screen) },
		warning: "This cannot be undone.", expected: strconv.Itoa(len(plan.Steps)), expectedName: "the number of objects",
	}
	if len(targets) == 1 {
		c.expected, c.expectedName = targets[0].Object.Name, "the name of the target"
	}
	return c.ask(ctx)
}

// confirmation is how the user says that they mean it: in a script by a flag, at
// a terminal by typing what they mean. Anywhere else the answer is no.
type confirmation struct {
	streams genericiooptions.IOStreams
	yes     bool
	// givenToken is the token that was given, and token that of the plan.
	givenToken, token string
	// show prints what is to be confirmed, and warning stands before the question.
	show    func()
	warning string
	// expected is what is to be typed, and expectedName says what that is.
	expected, expectedName string
}

func (c confirmation) ask(ctx context.Context) error {
	errOut := c.streams.ErrOut
	switch {
	case c.givenToken != "" && c.givenToken != c.token:
		fmt.Fprintln(errOut, "error: the confirmation token is out of date: the plan changed since --dry-run=server; nothing was changed; run --dry-run=server again")
		return exitRefused
	case c.givenToken != "" || c.yes:
		return nil
	case !term.IsTerminal(c.streams.In):
		fmt.Fprintln(errOut, "error: there is no terminal to ask for confirmation, so nothing was changed: pass --yes, or --confirm with the token of --dry-run=server")
		return exitRefused
	}
	c.show()
	fmt.Fprintf(errOut, "\n%s Type %s (%s) to continue: ", c.warning, c.expectedName, c.expected)
	if readLine(ctx, c.streams.In) != c.expected {
		fmt.Fprintln(errOut, "\nnothing was changed")
		return exitRefused
	}
	return nil
}

// readLine is what the user types, empty if they hang up or press ^C.
func readLine(ctx context.Context, in io.Reader) string {
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
