package dump

import (
	"errors"
	"io"
	"time"
)

// Open reads a dump: a folder, an archive, a file of objects, or standard input where the path
// is "-". It reads no more than limit bytes of it, DefaultLimit where that is zero.
func Open(path string, stdin io.Reader, limit int64) (*Source, error) {
	if limit == 0 {
		limit = DefaultLimit
	}
	l := newLoader(newBudget(limit))
	kind, err := readFiles(path, stdin, l.budget, l.read)
	if err != nil {
		return nil, err
	}
	if err := l.store.flush(); err != nil {
		return nil, err
	}
	c, err := l.interpret(path, kind)
	if err != nil {
		return nil, err
	}
	return l.source(c)
}

// Name is what the dump is, with its article: "a must-gather".
func (s *Source) Name() string { return s.name }

// TimeIsGuessed reports whether the dump does not say when it was made, so that Now is the newest
// time in it.
func (s *Source) TimeIsGuessed() bool { return s.guessed }

// HasAnswers reports whether the dump has the answers that an API server gave beyond its objects:
// to dry runs, to questions of access, and in its metrics.
func (s *Source) HasAnswers() bool { return s.answers != nil }

// LeaseAgesError says why the ages of Leases are not known: a tool reads for minutes, and does not
// say when it read which object.
func (s *Source) LeaseAgesError() error {
	if s.answers != nil {
		return nil
	}
	return errors.New("not known: the dump does not say when it read each Lease")
}

// ClockSpread is how far the times in the answers of the API server differed from each other. Only a snapshot says it.
func (s *Source) ClockSpread() time.Duration { return s.clockSpread }

// ClockSkew is how far the clock of the API server was ahead of that of the machine that wrote the snapshot.
func (s *Source) ClockSkew() time.Duration { return s.clockSkew }
