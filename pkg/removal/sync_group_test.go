package removal

import (
	"errors"
	"runtime"
	"testing"
)

// TestSyncGroup holds that writers who wait share one sync, and its error.
func TestSyncGroup(t *testing.T) {
	const waiting = 5
	errDisk := errors.New("no space left on device")
	for want, wantFailed := range map[error]int{nil: 0, errDisk: waiting} {
		var g syncGroup
		first, release, answers := make(chan struct{}), make(chan struct{}), make(chan error)
		go func() {
			answers <- g.sync(func() error { close(first); <-release; return nil })
		}()
		<-first
		calls := 0
		for range waiting {
			go func() {
				answers <- g.sync(func() error { calls++; return want })
			}()
		}
		for g.writes.Load() <= waiting {
			runtime.Gosched()
		}
		close(release)
		failed := 0
		for range waiting + 1 {
			if err := <-answers; err != nil {
				failed++
			}
		}
		if calls != 1 || failed != wantFailed {
			t.Errorf("%d syncs for those who waited, and %d of them failed, want 1 and %d (%v)", calls, failed, wantFailed, want)
		}
		if err := g.sync(func() error { return nil }); err != nil {
			t.Errorf("a later write has the error of an earlier one: %v", err)
		}
	}
}
