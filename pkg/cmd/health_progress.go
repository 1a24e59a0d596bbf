package cmd

import (
	"sync"
	"time"
)

// healthProgress shows how many checks have ended, and how long watches still stay open.
type healthProgress struct {
	*progress
	clock    func() time.Time
	duration time.Duration

	mu          sync.Mutex
	done, total int
	until       time.Time
	ended       chan struct{}
	ticking     sync.WaitGroup
}

func newHealthProgress(o *healthOptions) *healthProgress {
	return &healthProgress{progress: newProgress(o.program.terminal), clock: o.program.Clock, duration: o.duration, ended: make(chan struct{})}
}

// check shows that a check has ended. With the first call the watches begin.
func (p *healthProgress) check(done, total int) {
	if !p.terminal() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.total = done, total
	if p.until.IsZero() {
		p.until = p.clock().Add(p.duration)
		p.ticking.Go(p.tick)
	}
	p.checks(p.done, p.total, p.until.Sub(p.clock()))
}

// tick shows the time that is left, each second.
func (p *healthProgress) tick() {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-p.ended:
			return
		case <-ticker.C:
			p.mu.Lock()
			p.checks(p.done, p.total, p.until.Sub(p.clock()))
			p.mu.Unlock()
		}
	}
}

// end clears the line.
func (p *healthProgress) end() {
	close(p.ended)
	p.ticking.Wait()
	p.progress.done()
}
