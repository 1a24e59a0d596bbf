package removal

import (
	"sync"
	"sync/atomic"
)

// syncGroup syncs a file or a folder for several writers at once: a sync takes milliseconds on many disks, and one at a
// time would be most of what the removal of thousands of objects takes.
type syncGroup struct {
	// writes is how many writes have asked to be synced.
	writes atomic.Int64

	mu sync.Mutex
	// synced and failed are up to which write the last sync that succeeded went, and the last that did not.
	synced, failed int64
	err            error
}

// sync returns once everything that the caller has written is on the disk. A sync that fails has failed for all writes
// that it was for: the next one may succeed although they are lost.
func (g *syncGroup) sync(do func() error) error {
	own := g.writes.Add(1)
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case own <= g.failed:
		return g.err
	case own <= g.synced:
		return nil
	}
	last := g.writes.Load()
	if err := do(); err != nil {
		g.failed, g.err = last, err
		return err
	}
	g.synced = last
	return nil
}
