package stuck

import (
	"fmt"
	"time"
)

// Progress is how far the deletion of some objects has come.
type Progress struct {
	// Total is how many objects are waited for, and Remaining are those that still exist.
	Total     int
	Remaining []Object
	// Content counts what is left in the namespaces among them, and what is left of the
	// types of the CustomResourceDefinitions among them, most first.
	Content []Tally
	// Finalizers counts the finalizers of all these objects, most first.
	Finalizers []Tally
	// LastMoved is when something was last deleted, or a finalizer removed. At first it
	// is when the wait began.
	LastMoved time.Time
	// GraceEnd is when the last grace period ends, zero where all have ended.
	GraceEnd time.Time
	// Gaps are what cannot be watched, or be read.
	Gaps []Gap
}

// Tally is how many objects there are of a type, or with a finalizer.
type Tally struct {
	Name string
	// Singular is the name of a type in the singular, empty for a finalizer.
	Singular string
	Objects  int
}

// TallyOf counts objects of one type.
func TallyOf(objects []Object) Tally {
	return Tally{Name: objects[0].Type.String(), Singular: objects[0].Type.Singular(), Objects: len(objects)}
}

// String is the count with what is counted: "1 configmap", "2 configmaps".
func (t Tally) String() string {
	if t.Objects == 1 && t.Singular != "" {
		return "1 " + t.Singular
	}
	return fmt.Sprintf("%d %s", t.Objects, t.Name)
}
