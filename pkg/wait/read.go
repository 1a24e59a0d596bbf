package wait

import (
	"context"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// follow watches a scope. What cannot be watched is read now and then.
func (w *waiter) follow(ctx context.Context, s Scope) {
	if w.Watch != nil {
		w.Watch(ctx, s, Observer{
			Changed: func(o stuck.Object, deleted bool) {
				w.tracker.handleSuccess(s.String())
				w.tracker.handleChange(o, deleted)
			},
			Listed: func(objects []stuck.Object) { w.tracker.handleList(s, objects) },
			Failed: func(err error) { w.tracker.handleFailure(newGap(s, "watched", err)) },
		})
	}
	ticker := time.NewTicker(readPause)
	defer ticker.Stop()
	for ctx.Err() == nil {
		w.read(ctx, s)
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

// read reads the objects of a scope, and reports whether it could.
func (w *waiter) read(ctx context.Context, s Scope) bool {
	objects, err := w.objects(ctx, s)
	switch {
	case ctx.Err() != nil:
		return false
	case err != nil:
		w.tracker.handleFailure(newGap(s, "read", err))
		return false
	}
	w.tracker.handleList(s, objects)
	return true
}

// objects are the objects of a scope. One whose type was deleted has none.
func (w *waiter) objects(ctx context.Context, s Scope) (out []stuck.Object, err error) {
	if s.Selection.Name == "" {
		err = w.Source.Scan(ctx, s.Type, s.Selection, func(o stuck.Object) { out = append(out, o) })
		if err == nil || cluster.ConfirmUnserved(ctx, w.Source, s.Type, err) == nil {
			return out, nil
		}
		return nil, err
	}
	m, err := w.Source.Metadata(ctx, s.Type, s.Selection.Namespace, s.Selection.Name)
	switch {
	case err == nil:
		return []stuck.Object{stuck.ObjectOf(s.Type, m.ObjectMeta)}, nil
	case cluster.IsObjectNotFound(err), cluster.DeletedWithType(ctx, w.Source, s.Type, err):
		return nil, nil
	}
	return nil, err
}

// newGap says that a scope cannot be watched, or be read.
func newGap(s Scope, verb string, err error) stuck.Gap {
	return stuck.Gap{Source: s.String(), Error: "cannot be " + verb + ": " + apitext.ErrorMessage(err)}
}
