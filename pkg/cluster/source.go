package cluster

import (
	"context"
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Source answers reads: the API server, or the recording of one. Errors are
// those of the API server (k8s.io/apimachinery/pkg/api/errors).
type Source interface {
	// Now is the time at the source, which is what its timestamps mean.
	Now() time.Time
	// Version is the Kubernetes version of the server, such as "v1.37.1".
	Version(ctx context.Context) (string, error)
	// Types are the types in their preferred versions. Groups that could not
	// be discovered are gaps; an error means that nothing could be.
	Types(ctx context.Context) ([]stuck.Type, []stuck.Gap, error)
	// Serves reports whether the discovery of the type's group version names the
	// type now, which it may not do any more after Types.
	Serves(ctx context.Context, t stuck.Type) (bool, error)
	// Scan visits each selected object of the type, in the part that is in its
	// metadata. With an error, some may have been visited.
	Scan(ctx context.Context, t stuck.Type, sel Selection, visit func(stuck.Object)) error
	// Metadata reads the metadata of one object.
	Metadata(ctx context.Context, t stuck.Type, namespace, name string) (*metav1.PartialObjectMetadata, error)
	// Get reads one whole object. It refuses Secrets.
	Get(ctx context.Context, t stuck.Type, namespace, name string) (*unstructured.Unstructured, error)
	// List visits each selected object of the type, whole. With an error, some may
	// have been visited. It refuses Secrets.
	List(ctx context.Context, t stuck.Type, sel Selection, visit func(unstructured.Unstructured)) error
	// ListTime is how long the source takes to list one object of the type in a
	// namespace.
	ListTime(ctx context.Context, t stuck.Type, namespace string) (time.Duration, error)
	// Metrics are what the API server that answers counts. Of a recording they are
	// the open watches alone.
	Metrics(ctx context.Context) (Metrics, error)
	// MayPatch reports whether the user may patch an object, or with an empty name
	// all objects of the type.
	MayPatch(ctx context.Context, t stuck.Type, namespace, name string) (bool, error)
	// Probe tries to take all finalizers off an object, without doing it, and
	// gives the error that doing it would have ended with.
	Probe(ctx context.Context, o stuck.Object) error
}

// MetadataLister is a source that lists the metadata of many objects at once. Another is asked for one object after
// the other.
type MetadataLister interface {
	// ListMetadata visits the metadata of those objects of the type that have one of the names. It ends with ErrTooManyObjects
	// if the type has more than maxObjects objects, in all namespaces. With an error, some may have been visited.
	ListMetadata(ctx context.Context, t stuck.Type, names map[types.NamespacedName]bool, maxObjects int, visit func(*metav1.PartialObjectMetadata)) error
}

// Selection narrows a scan or a list. The zero value selects everything.
type Selection struct {
	Namespace string // empty means all namespaces
	Labels    string // a label selector
	Name      string // one name
	Fields    string // a field selector
	// Unpaged asks for everything in one answer, which costs the server more
	// but cannot be cut short by an expired continue token.
	Unpaged bool
	// Window narrows a scan to a few objects in a row.
	Window Window
	// MaxObjects is how many objects a list may hold, zero for any number. A longer one
	// ends with ErrMany.
	MaxObjects int
}

// Window is at most Limit objects, in the order in which the API server stores them, from the key Start on: a name, behind
// the namespace and a slash in a scan of all namespaces, or empty for the first. The zero value is all objects.
type Window struct {
	Start string
	Limit int64
}

// ErrTooManyObjects says that there are more objects than were to be read.
var ErrTooManyObjects = errors.New("too many objects to read at once")
