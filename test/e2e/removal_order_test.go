//go:build linux

package e2e

import (
	"encoding/json"
	"path"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/tracer"
)

// TestOrderOnDisk holds that what a write needs is on the disk before the write is sent: its copy is written, synced and renamed, and
// the folder synced; then its line in the audit file is written and synced. The folders are synced before that.
func TestOrderOnDisk(t *testing.T) {
	t.Parallel()
	for name, scene := range map[string]struct {
		begin func(t *testing.T, s *removalScene, n int) (args []string)
		args  []string
		// copies and lines are how many writes have a copy, and how many a line.
		copies, lines int
	}{
		"objects":   {removeTwo, []string{"--record-event"}, 2, 4},
		"namespace": {removeFromNamespace, nil, 2, 2},
		"restore":   {restoreTwo, nil, 0, 2},
		"sweep":     {sweepTwo, nil, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newRemoval(t, sharedPlane(t), "order-"+name, "")
			args := append(scene.begin(t, s, 1), append(scene.args, "-n", s.namespace, "--yes")...)
			result, printed := s.trace(t, tracer.Trace{}, args...)
			if result.Code != 0 {
				t.Fatalf("it ended with %d: %s", result.Code, printed)
			}
			order := diskOrder(result.Effects)
			copies, lines := 0, 0
			for _, request := range order {
				if isOnDisk(request) || !persists(request) {
					continue
				}
				entry := order.wantLine(t, request)
				if lines++; entry.Copy != "" {
					copies++
				}
			}
			if copies != scene.copies || lines != scene.lines {
				t.Errorf("%d writes have a copy and %d a line, want %d and %d: %s", copies, lines, scene.copies, scene.lines, result.Effects)
			}
		})
	}
}

// isOnDisk reports whether an effect is on the disk, and no request.
func isOnDisk(e tracer.Effect) bool {
	return e.Call == strings.ToLower(e.Call) && !strings.HasPrefix(e.Call, "more of")
}

// diskOrder are the effects of one run.
type diskOrder []tracer.Effect

// next is the first effect of a kind that begins after a moment and has ended by another.
func (o diskOrder) next(after, by int, is func(tracer.Effect) bool) (found tracer.Effect, ok bool) {
	for _, e := range o {
		if e.Began > after && e.Ended > 0 && e.Ended < by && is(e) {
			return e, true
		}
	}
	return found, false
}

// wantChain expects system calls on files one after the other between two moments.
func (o diskOrder) wantChain(t *testing.T, after int, by tracer.Effect, calls ...string) {
	t.Helper()
	for _, call := range calls {
		e, ok := o.next(after, by.Began, func(e tracer.Effect) bool { return e.String() == call })
		if !ok {
			t.Errorf("before %s there is no %s, or not in this order: %s", by, call, calls)
			return
		}
		after = e.Ended
	}
}

// wantLine expects a line in the audit file before a request, and before that line the copy that it names.
func (o diskOrder) wantLine(t *testing.T, request tracer.Effect) (entry removal.AuditEntry) {
	t.Helper()
	url, _, _ := strings.Cut(request.Target, "?")
	line, ok := o.next(0, request.Began, func(e tracer.Effect) bool {
		entry = removal.AuditEntry{}
		isLine := e.Call == "write" && path.Base(e.Target) == removal.AuditFile && json.Unmarshal([]byte(e.Data), &entry) == nil
		return isLine && entry.Result == removal.AuditBegun && entry.Request == request.Call+" "+url
	})
	if !ok {
		t.Fatalf("no line in the audit file tells of %s", request)
	}
	folder := path.Dir(line.Target)
	o.wantChain(t, line.Ended, request, "fsync "+line.Target)
	o.wantChain(t, 0, line, "open "+line.Target, "fsync "+folder)
	if entry.Copy != "" {
		file := folder + "/" + entry.Copy
		o.wantChain(t, 0, line, "open "+file+".half", "write "+file+".half", "fsync "+file+".half", "rename "+file, "fsync "+folder)
	}
	for _, e := range o {
		if e.Call == "mkdir" {
			o.wantChain(t, e.Ended, request, "fsync "+strings.TrimSuffix(path.Dir(e.Target), "/"))
		}
	}
	return entry
}
