// Package cmd has the commands, one file each. It is the only package that imports
// cobra and k8s.io/kubectl.
//
// Flags become options, options run with a context, and errors are returned.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/klog/v2"
	"k8s.io/kubectl/pkg/util/templates"
	"k8s.io/kubectl/pkg/util/term"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
)

// version is set by the linker.
var version = "v0.0.0-dev"

// Program is the plugin with its dependencies.
type Program struct {
	Streams genericiooptions.IOStreams
	Clock   func() time.Time
	// Connect opens the source that the flags select.
	Connect func(*genericclioptions.ConfigFlags) (cluster.Source, error)
	// Remote opens what force-remove and restore need to write.
	Remote func(*genericclioptions.ConfigFlags) (Remote, error)
	// Catalog loads the catalog of finalizers.
	Catalog func() (*catalog.Catalog, error)

	// terminal is the error stream as it was passed in, for progress only.
	terminal io.Writer
	// width is that of the terminal to which output goes, 0 where it goes elsewhere.
	width int
}

// New is the program with a real clock and a real API server.
func New(streams genericiooptions.IOStreams, clock func() time.Time) Program {
	p := Program{Streams: streams, Clock: clock, Catalog: catalog.Load}
	p.Remote = openRemote
	p.Connect = func(flags *genericclioptions.ConfigFlags) (cluster.Source, error) {
		config, err := restConfig(flags)
		if err != nil {
			return nil, err
		}
		return live.Connect(config, clock)
	}
	return p
}

// Run runs one command line and returns its exit code.
func (p Program) Run(ctx context.Context, args []string) int {
	p.terminal, p.width = p.Streams.ErrOut, terminalWidth(p.Streams.Out)
	colors := report.NewColorWriter(p.Streams.Out)
	out, errOut := &checkedWriter{out: report.EscapeWriter(colors)}, &checkedWriter{out: report.EscapeWriter(p.Streams.ErrOut)}
	isTerminal := term.IsTerminal(p.Streams.Out)
	p.Streams.Out, p.Streams.ErrOut = out, errOut
	// Every client is created from these flags, kubectl's discovery client too.
	flags := genericclioptions.NewConfigFlags(true).WithWrapConfigFn(live.RefuseRedirects)
	root := p.command(flags, func(mode string) (err error) {
		colors.Enabled, err = useColor(mode, isTerminal)
		return err
	})
	root.SetArgs(args)
	// An empty logger drops everything: what client-go logs about a request is in its error.
	err := root.ExecuteContext(klog.NewContext(ctx, klog.Logger{}))
	err = withLostOutput(err, out.lost(), colors.Flush(), errOut.lost())
	var code exit
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	case ctx.Err() != nil:
		err = errors.New("interrupted")
	}
	fmt.Fprintf(p.Streams.ErrOut, "error: %s\n", errorText(err, flags))
	return 1
}

func (p Program) command(flags *genericclioptions.ConfigFlags, setColor func(mode string) error) *cobra.Command {
	root := &cobra.Command{
		Use:   "kubectl-finalizers",
		Short: "Find what is stuck in Terminating, and explain why",
		Long: `Find the objects and namespaces that are stuck in Terminating, and explain why: the cause, the evidence, and the
steps to take. Only sweep, force-remove and restore change anything in the cluster.`,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl finalizers"},
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetIn(p.Streams.In)
	root.SetOut(p.Streams.Out)
	root.SetErr(p.Streams.ErrOut)
	flags.AddFlags(root.PersistentFlags())
	verbosity, color := addVerbosity(root), addColor(root)
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		c.SetContext(withReadBudget(c.Context(), flags, 0))
		return errors.Join(setColor(*color), p.setVerbosity(c, *verbosity))
	}
	p.Catalog = addCatalogFiles(root, p.Catalog)
	p.setHelp(root, templates.CommandGroups{
		{Message: "Diagnose:", Commands: []*cobra.Command{p.newList(flags), p.newExplain(flags), p.newPreflight(flags), p.newWait(flags), p.newHealth(flags), p.newSnapshot(flags), p.newCatalog()}},
		{Message: "Repair:", Commands: []*cobra.Command{p.newSweep(flags), p.newForceRemove(flags), p.newRestore(flags)}},
		{Message: "Settings:", Commands: []*cobra.Command{p.newCompletion(), p.newVersion(flags), p.newOptions()}},
	})
	p.completeFlags(root, flags)
	return root
}

// exit ends the program with a code and without a message, which was printed before.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// The exit codes.
const (
	exitFailed     exit = 1 // the error was printed before
	exitStuck      exit = 2
	exitRefused    exit = 3
	exitIncomplete exit = 4
)
