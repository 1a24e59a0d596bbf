package cmd

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/ownfile"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/diagnose"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/find"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/sweep"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/wait"
)

// apply deletes, waits, explains what is left, and remembers it.
func (r *sweepRun) apply(ctx context.Context) error {
	identified, err := r.remote.Cluster.Identify(ctx, r.source)
	if err != nil {
		return err
	}
	folder, err := r.stateFolder(identified)
	if err != nil {
		return fmt.Errorf("nothing was deleted: %w; choose another folder with --state-dir", err)
	}
	audit, err := openAudit(ctx, r.remote, r.source, folder, identified)
	if err != nil {
		return fmt.Errorf("nothing was deleted: %w; choose another folder with --state-dir", err)
	}
	defer func() { r.unrecorded = audit.Close() }()
	memory := r.openMemory(folder, audit)
	state, err := memory.read(ctx, sweep.State{ClusterUID: identified.UID, Selection: r.selector.Describe(r.types), Time: r.source.Now().UTC()})
	if err != nil {
		return fmt.Errorf("nothing was deleted: %w", err)
	}
	if err := r.deleteAll(cluster.WithoutReadBudget(ctx), audit); err != nil {
		return err
	}
	r.remember(ctx, memory, state)
	return nil
}

// stateFolder is the folder of the sweeps of a cluster.
func (r *sweepRun) stateFolder(c removal.Cluster) (string, error) {
	root, err := backupRoot(r.stateDir)
	if err != nil {
		return "", err
	}
	folder := filepath.Join(removal.ContextFolder(root, c.Context), "sweep")
	if err := removal.MakeFolder(folder); err != nil {
		return "", err
	}
	return folder, ownfile.CheckFolder(folder)
}

// deleteAll deletes what can be deleted now, waits for it, and goes on with what waited for it.
func (r *sweepRun) deleteAll(ctx context.Context, audit *removal.Audit) error {
	progress := newProgress(r.program.terminal)
	deleter := &removal.Deleter{Source: r.source, Writer: r.remote.Writer, Audit: audit, Recheck: r.recheck, Progress: progress.steps}
	defer r.program.announceInterrupt(ctx, r.remote.Writer)()
	begun := r.program.Clock()
	waited := map[stuck.ObjectKey]bool{}
	for ready := r.order.Ready(); ; ready = r.order.Ready() {
		remaining := r.timeout - r.program.Clock().Sub(begun)
		if remaining <= 0 {
			r.finishAll(ready, sweep.Held, "not deleted: the time of --timeout is over")
			break
		}
		results := deleter.Delete(ctx, r.stillSelected(ctx, slices.DeleteFunc(ready, stuck.Object.Deleting)))
		progress.done()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.record(results, waited)
		targets := slices.DeleteFunc(slices.Concat(r.order.Pending(), r.selected(sweep.Wait)), func(o stuck.Object) bool { return waited[o.Key()] })
		if len(targets) == 0 && len(ready) == 0 {
			break
		}
		for _, o := range targets {
			waited[o.Key()] = true
		}
		if err := r.wait(ctx, deduplicate(targets), remaining); err != nil {
			return err
		}
	}
	for _, each := range r.order.Waiting() {
		r.finish(each.Object, sweep.Held, "not deleted: "+each.WaitsFor.RefInNamespace()+" still exists")
	}
	return r.explainLeft(cluster.WithReadBudget(ctx, find.ReadBudget))
}

// record keeps the results of deletes. There is nothing to wait for where the API server has not accepted one.
func (r *sweepRun) record(results []removal.DeleteResult, waited map[stuck.ObjectKey]bool) {
	for _, each := range results {
		switch each.Outcome {
		case removal.Done:
			continue
		case removal.Gone:
			r.deleted(each.Object)
		case removal.Refused:
			r.finish(each.Object, sweep.Skipped, each.Message)
		default:
			r.finish(each.Object, sweep.Failed, each.Message)
		}
		waited[each.Object.Key()] = true
	}
}

func (r *sweepRun) deleted(o stuck.Object) {
	r.order.Gone(o)
	r.finish(o, sweep.Deleted, "")
}

func (r *sweepRun) finish(o stuck.Object, result sweep.Result, message string) {
	for i := range r.items {
		if r.items[i].Object.Key() == o.Key() {
			r.items[i].Result, r.items[i].Message = result, message
		}
	}
}

func (r *sweepRun) finishAll(objects []stuck.Object, result sweep.Result, message string) {
	for _, o := range objects {
		r.finish(o, result, message)
	}
}

// stillSelected leaves out the content of namespaces that have changed and are no longer selected. For the namespaces
// themselves the API server makes sure: each is deleted in the state in which it was selected.
func (r *sweepRun) stillSelected(ctx context.Context, ready []stuck.Object) (objects []stuck.Object) {
	kept := map[string]string{}
	for _, o := range ready {
		namespace, isContent := r.content[o.Key()]
		if !isContent {
			objects = append(objects, o)
			continue
		}
		reason, asked := kept[namespace.Name]
		if !asked {
			m, err := r.source.Metadata(ctx, namespace.Type, "", namespace.Name)
			switch {
			case cluster.IsObjectNotFound(err):
			case err != nil:
				reason = "it could not be read again"
				r.gaps = append(r.gaps, stuck.Gap{Source: namespace.Ref(), Error: message(err)})
			case m.UID != namespace.UID:
				reason = "another object has its name now"
			default:
				reason = r.recheck(ctx, namespace, m.ObjectMeta)
			}
			kept[namespace.Name] = reason
		}
		if reason == "" {
			objects = append(objects, o)
			continue
		}
		r.order.Gone(o) // the namespace does not wait for it
		r.finish(o, sweep.Skipped, namespace.Ref()+": "+reason)
	}
	return objects
}

// recheck says why an object that has changed is kept.
func (r *sweepRun) recheck(ctx context.Context, o stuck.Object, m metav1.ObjectMeta) string {
	if _, isContent := r.content[o.Key()]; isContent {
		return "" // it is deleted with its namespace
	}
	item, selected := r.selector.Judge(ctx, r.source, o.Type, m)
	switch {
	case !selected, !r.selector.Matches(m):
		return "it changed, and is no longer selected"
	case item.Action == sweep.Keep:
		return "it changed: " + item.Reason
	}
	return ""
}

// wait waits for objects. What is left when it ends is stuck.
func (r *sweepRun) wait(ctx context.Context, targets []stuck.Object, timeout time.Duration) error {
	o := &waitOptions{explainOptions: &explainOptions{program: r.program, source: r.source}, stall: r.stall, timeout: timeout}
	screen := newWaitScreen(o)
	_, left, err := wait.Run(ctx, wait.Options{
		Targets: targets, Types: r.served.types, Source: r.source, Watch: o.watch(),
		Timeout: o.timeout, Stall: o.stall, Clock: r.program.Clock,
		OnDeleted: func(o stuck.Object) error { r.deleted(o); return nil }, OnProgress: screen.progress,
	})
	screen.live.done()
	if err != nil {
		return err
	}
	screen.printGaps(left.Gaps)
	for _, o := range left.Remaining {
		r.finish(o, sweep.Stuck, "")
	}
	return nil
}

// explainLeft says why objects are stuck. Those that were deleted at the last moment are recorded as such.
func (r *sweepRun) explainLeft(ctx context.Context) error {
	view := r.served.newView(ctx, r.source, r.probe)
	var left []stuck.Object
	for _, i := range r.items {
		if i.Result != sweep.Stuck {
			continue
		}
		object, err := find.Object(ctx, r.source, view, i.Object.Type, i.Object.Namespace, i.Object.Name)
		switch {
		case cluster.IsObjectNotFound(err), err == nil && object.Key() != i.Object.Key():
			r.deleted(i.Object)
		case err != nil:
			r.finish(i.Object, sweep.Stuck, "it could not be read again: "+message(err))
		default:
			left = append(left, object)
		}
	}
	if len(left) == 0 {
		return nil
	}
	var err error
	r.stuck, err = diagnose.Objects(ctx, view, r.known, left)
	r.addGaps(view.AllGaps())
	return err
}
