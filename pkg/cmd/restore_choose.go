package cmd

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"text/tabwriter"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/kubectl/pkg/util/term"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// chooseRun is the file or the folder to restore: what was named, or where that holds the
// folders of several runs, the one that the user chooses. command is the
// command line that restores a folder, up to its name.
func (p Program) chooseRun(ctx context.Context, path, command string) (string, error) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return path, nil // reading it says what is wrong
	}
	runs, err := removal.SavedRuns(path)
	if err != nil {
		return "", err
	}
	switch len(runs) {
	case 0:
		return path, nil
	case 1:
		return runs[0].Dir, nil
	}
	errOut := p.Streams.ErrOut
	fmt.Fprintf(errOut, "Runs of force-remove with saved copies in %s, the newest first:\n", path)
	p.printRuns(runs)
	if !term.IsTerminal(p.Streams.In) {
		fmt.Fprintf(errOut, "error: %s holds %d runs, so nothing was changed: name one; to restore the newest:\n  %s %s\n",
			path, len(runs), command, stuck.ShellQuote(runs[0].Dir))
		return "", exitRefused
	}
	fmt.Fprintf(errOut, "\nType the number of the run to restore (1 to %d) to continue: ", len(runs))
	n, err := strconv.Atoi(readLine(ctx, p.Streams.In))
	if err != nil || n < 1 || n > len(runs) {
		fmt.Fprintln(errOut, "\nnothing was changed")
		return "", exitRefused
	}
	return runs[n-1].Dir, nil
}

func (p Program) printRuns(runs []removal.SavedRun) {
	w := tabwriter.NewWriter(p.Streams.ErrOut, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "NUMBER\tTIME\tAGE\tCONTEXT\tCOPIES\tFOLDER")
	for i, r := range runs {
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%d\t%s\n", i+1, r.Time.Format(time.RFC3339), duration.HumanDuration(p.Clock().Sub(r.Time)), r.Context, r.Copies, r.Dir)
	}
	_ = w.Flush() // the streams remember what was lost
}
