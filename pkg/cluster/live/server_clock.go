package live

import (
	"sync"
	"time"
)

// serverClock is how far the server's clock is ahead of ours, by the Date of its answers.
// Answers that differ come from several servers, or from a proxy, of which one is wrong.
type serverClock struct {
	mu                sync.Mutex
	observed          bool
	last, least, most time.Duration
}

// observe takes the skew of one answer.
func (c *serverClock) observe(skew time.Duration) {
	// Date counts whole seconds and has travelled: less is no skew.
	if skew.Abs() < 2*time.Second {
		skew = 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.observed {
		c.least, c.most = skew, skew
	}
	c.observed, c.last, c.least, c.most = true, skew, min(c.least, skew), max(c.most, skew)
}

// resetSpread forgets how far the answers so far differ, and keeps the skew of the last one.
func (c *serverClock) resetSpread() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.observed, c.least, c.most = false, 0, 0
}

func (c *serverClock) skew() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

func (c *serverClock) spread() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.most - c.least
}
