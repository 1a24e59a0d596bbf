package cluster

import "time"

// Answer is the answer to "is there this object?". It has three states, so that
// "could not look" is never mistaken for "does not exist": Found, Absent,
// or neither.
type Answer[T any] struct {
	// Value is the object, nil unless it was found.
	Value *T
	// absent is set only when the API server said so.
	absent bool
	// ReadAt is the source's time when it answered: an answer is kept for as long
	// as a command runs, and ages are those of that moment.
	ReadAt time.Time
}

// Found says that the object exists and was read.
func (o Answer[T]) Found() bool { return o.Value != nil }

// Absent says that the API server answered that there is no such object.
func (o Answer[T]) Absent() bool { return o.absent }

// List is the answer to "which objects are there?".
type List[T any] struct {
	// Items are the objects that were seen.
	Items []T
	// Complete says that everything that was asked for could be read.
	Complete bool
	// ReadAt is the source's time when it answered.
	ReadAt time.Time
}

// IsKnownEmpty says that there is nothing, which only a complete answer can say.
func (m List[T]) IsKnownEmpty() bool { return m.Complete && len(m.Items) == 0 }
