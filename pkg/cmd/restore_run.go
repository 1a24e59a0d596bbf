package cmd

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Run says what would be done, proves it, asks, and does it.
func (o *restoreOptions) Run(ctx context.Context) error {
	here, err := o.remote.Cluster.Recognize(ctx, o.source)
	if err != nil {
		return err
	}
	if err := o.fromHere(here); err != nil {
		return err
	}
	deeds, err := o.plan(ctx)
	if err != nil {
		return err
	}
	o.show(here, deeds)
	run := &removal.Restoring{Writer: o.remote.Writer}
	var refused error
	for _, d := range deeds {
		switch {
		case d.Refused:
			refused = exitRefused
		case d.Why == "":
			run.Deeds = append(run.Deeds, d)
		}
	}
	if o.dryRun == cmdutil.DryRunClient || len(run.Deeds) == 0 {
		return refused
	}
	if failed := run.Prove(ctx); len(failed) > 0 {
		o.list("the API server would refuse, in a dry run, to restore ", failed)
		fmt.Fprintln(o.program.Streams.ErrOut, "nothing was changed")
		return exitRefused
	}
	if o.dryRun == cmdutil.DryRunServer {
		fmt.Fprint(o.program.Streams.Out, accepted(o.again, removal.TokenOf(here, deeds)))
		return refused
	}
	if err := o.do(ctx, run, here, removal.TokenOf(here, deeds)); err != nil {
		return err
	}
	return refused
}

// fromHere refuses copies from another cluster, and those that do not say from
// which, unless that is what the user wants.
func (o *restoreOptions) fromHere(here removal.Cluster) error {
	for _, s := range o.saved {
		switch {
		case o.otherwhere || s.From.Same(here):
		case s.From.Server == "":
			return fmt.Errorf("%s does not say from which cluster it is, so nothing was changed; if it belongs to %s, pass --from-another-cluster", s.File, here.Server)
		default:
			return fmt.Errorf("%s is from the cluster at %s, and this is another one at %s, so nothing was changed; choose that one with --context, or pass --from-another-cluster",
				s.File, s.From.Server, here.Server)
		}
	}
	return nil
}

// plan says for each saved copy what it takes.
func (o *restoreOptions) plan(ctx context.Context) ([]removal.Deed, error) {
	served, err := discover(ctx, o.source)
	if err != nil {
		return nil, err
	}
	see := cluster.NewView(ctx, o.source, served.types, served.gaps)
	var deeds []removal.Deed
	for _, s := range o.saved {
		t, ok := see.Type(s.Object.GroupVersionKind().GroupKind())
		if !ok {
			deeds = append(deeds, removal.Unserved(s, served.gaps))
			continue
		}
		deed, err := removal.Undo(ctx, o.source, see, t, s)
		if err != nil {
			return nil, err
		}
		deeds = append(deeds, deed)
	}
	return deeds, nil
}

// show lists the deeds; of many that are alike, their number.
func (o *restoreOptions) show(here removal.Cluster, deeds []removal.Deed) {
	out := o.program.Streams.Out
	fmt.Fprintf(out, "In cluster %s (context %s)\n", here.Server, here.Context)
	alike := map[string][]removal.Deed{}
	var order []string
	for _, d := range deeds {
		key := d.Kind() + d.What()
		if alike[key] == nil {
			order = append(order, key)
		}
		alike[key] = append(alike[key], d)
	}
	for _, key := range order {
		same := alike[key]
		if len(same) > stuck.Handful {
			fmt.Fprintf(out, "  %d %s, such as %s: %s\n", len(same), same[0].Kind(), same[0].Saved.Object.GetName(), same[0].What())
			continue
		}
		for _, d := range same {
			fmt.Fprintf(out, "  %s: %s\n", d.Place(), d.What())
		}
	}
}

// list tells what failed, a line each.
func (o *restoreOptions) list(what string, failed []string) {
	fmt.Fprintln(o.program.Streams.ErrOut, what+strings.Join(failed, "\n"+what))
}

// do asks, restores what can be, and says what could not.
func (o *restoreOptions) do(ctx context.Context, run *removal.Restoring, here removal.Cluster, token string) (err error) {
	if run.Audit, err = openAudit(ctx, o.remote, o.source, o.dir, here); err != nil {
		return fmt.Errorf("nothing was changed: %w; copy the saved copies to a folder that can be written to", err)
	}
	defer run.Audit.Close()
	c := confirmation{
		streams: o.program.Streams, yes: o.yes, given: o.confirm, token: token, show: func() {},
		says: "This writes to the cluster.", want: strconv.Itoa(len(run.Deeds)), what: "the number of objects",
	}
	if len(run.Deeds) == 1 {
		c.want, c.what = run.Deeds[0].Saved.Object.GetName(), "the name of the object"
	}
	if err := c.ask(ctx); err != nil {
		return err
	}
	progress := newProgress(o.program.terminal)
	run.Progress = progress.steps
	failed := run.Do(ctx)
	progress.done()
	fmt.Fprintf(o.program.Streams.Out, "%d restored; each write is noted in %s\n", len(run.Deeds)-len(failed), filepath.Join(o.dir, removal.AuditFile))
	if len(failed) > 0 {
		o.list("could not restore ", failed)
		return exitFailed
	}
	return nil
}
