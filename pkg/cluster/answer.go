package cluster

// One is the answer to "is there this object?". It has three states, so that
// "could not look" is never mistaken for "is not there": Found, Absent, or
// neither.
type One[T any] struct {
	// Value is the object, nil unless it was found.
	Value *T
	// absent is set only when the API server said so.
	absent bool
}

// Found says that the object exists and was read.
func (o One[T]) Found() bool { return o.Value != nil }

// Absent says that the API server answered that there is no such object.
func (o One[T]) Absent() bool { return o.absent }

// Many is the answer to "which objects are there?".
type Many[T any] struct {
	// Items are the objects that were seen.
	Items []T
	// Complete says that everything that was asked for could be read.
	Complete bool
}

// None says that there is nothing, which only a complete answer can say.
func (m Many[T]) None() bool { return m.Complete && len(m.Items) == 0 }
