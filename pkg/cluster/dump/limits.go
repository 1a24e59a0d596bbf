package dump

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/api/resource"
)

// DefaultLimit is how many bytes of a dump are read, uncompressed. A must-gather of a large
// cluster has 5 GiB, most of them logs.
const DefaultLimit = 8 << 30

// maxDocument is how large one object may be: etcd keeps 1.5 MiB by default, and etcd's own
// maximum for a request is 10 MiB.
const maxDocument = 16 << 20

// budget is what may still be read of a dump. All follows from the one limit that a user can
// raise.
type budget struct {
	limit                         int64
	bytes, files, objects, memory int64
}

func newBudget(limit int64) *budget {
	return &budget{limit: limit, bytes: limit, files: limit >> 13, objects: limit >> 14, memory: limit >> 4}
}

// limitError is the error of a dump that is larger than it may be.
type limitError struct {
	what  string
	limit int64
}

func (e *limitError) Error() string {
	return fmt.Sprintf("the dump has %s: if it is to be trusted, raise --from-limit (now %s)", e.what, resource.NewQuantity(e.limit, resource.BinarySI))
}

// errDocumentTooLarge is the error of one object that no API server would hold.
var errDocumentTooLarge = errors.New("an object is larger than 16Mi")

// maxValues is how many values one object may have, nested ones included: a parser takes some hundred
// bytes for each. An object of 1.5 MiB has fewer.
const maxValues = 2 << 20

// checkValues refuses a text with too many values to parse. Each but the first has a separator.
func checkValues(text []byte) error {
	if len(text) < maxValues {
		return nil
	}
	if bytes.Count(text, []byte{','})+bytes.Count(text, []byte{'\n'}) > maxValues {
		return fmt.Errorf("an object has more than %d values", maxValues)
	}
	return nil
}

func (b *budget) takeFile() error {
	if b.files--; b.files < 0 {
		return &limitError{fmt.Sprintf("more than %d files", b.limit>>13), b.limit}
	}
	return nil
}

func (b *budget) takeObject() error {
	if b.objects--; b.objects < 0 {
		return &limitError{fmt.Sprintf("more than %d objects", b.limit>>14), b.limit}
	}
	return nil
}

func (b *budget) takeMemory(n int) error {
	if b.memory -= int64(n); b.memory < 0 {
		return &limitError{"more content than is kept in memory", b.limit}
	}
	return nil
}

// reader counts what is read of a stream.
func (b *budget) reader(r io.Reader) io.Reader { return &budgetReader{b, r} }

type budgetReader struct {
	budget *budget
	io.Reader
}

func (r *budgetReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if r.budget.bytes -= int64(n); r.budget.bytes < 0 {
		return n, &limitError{"more bytes, uncompressed, than are read", r.budget.limit}
	}
	return n, err
}
