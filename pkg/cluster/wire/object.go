package wire

import (
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// The fields of an ObjectMeta that are read, and of what is in it.
const (
	metaName              = 1
	metaNamespace         = 3
	metaUID               = 5
	metaResourceVersion   = 6
	metaCreationTimestamp = 8
	metaDeletionTimestamp = 9
	metaOwnerReferences   = 13
	metaFinalizers        = 14

	ownerKind               = 1
	ownerName               = 3
	ownerUID                = 4
	ownerController         = 6
	ownerBlockOwnerDeletion = 7

	timeSeconds = 1
	timeNanos   = 2
)

func isRead(number protowire.Number) bool {
	switch number {
	case metaName, metaNamespace, metaUID, metaResourceVersion, metaCreationTimestamp, metaDeletionTimestamp,
		metaOwnerReferences, metaFinalizers:
		return true
	}
	return false
}

// parts are the fields of one object, where they lie in the window.
type parts struct {
	name, namespace, uid, resourceVersion []byte
	created, deleted                      time.Time
	finalizers, owners                    [][]byte
}

func (p *parts) reset() { *p = parts{finalizers: p.finalizers[:0], owners: p.owners[:0]} }

// read finds the fields of an ObjectMeta. Of one that is there twice the later
// counts, as protobuf has it.
func (p *parts) read(meta []byte) error {
	m := message{rest: meta}
	for m.next() {
		switch m.number {
		case metaName:
			p.name = m.text()
		case metaNamespace:
			p.namespace = m.text()
		case metaUID:
			p.uid = m.text()
		case metaResourceVersion:
			p.resourceVersion = m.text()
		case metaCreationTimestamp:
			p.created = m.time()
		case metaDeletionTimestamp:
			p.deleted = m.time()
		case metaOwnerReferences:
			p.owners = append(p.owners, m.text())
		case metaFinalizers:
			p.finalizers = append(p.finalizers, m.text())
		}
	}
	return m.err
}

// object makes an object of the parts that were seen.
func (r *Reader) object() (stuck.Object, error) {
	p, a := &r.seen, &r.arena
	o := stuck.Object{
		Type: r.of, Namespace: a.again(p.namespace), Name: a.text(p.name), UID: types.UID(a.text(p.uid)),
		ResourceVersion: a.text(p.resourceVersion), Created: p.created, Deleted: p.deleted,
	}
	o.Finalizers = take(&a.texts, len(p.finalizers))
	for i, f := range p.finalizers {
		o.Finalizers[i] = a.text(f)
	}
	o.Owners = take(&a.owners, len(p.owners))
	var err error
	for i, owner := range p.owners {
		if o.Owners[i], err = a.reference(owner); err != nil {
			return o, err
		}
	}
	return o, nil
}

// time reads a Timestamp as client-go does: in whole seconds, and an empty one
// as none.
func (m *message) time() time.Time {
	inner := message{rest: m.text()}
	if len(inner.rest) == 0 {
		return time.Time{}
	}
	var seconds int64
	for inner.next() {
		switch inner.number {
		case timeSeconds:
			seconds = int64(inner.varint())
		case timeNanos: // which nobody writes
			inner.varint()
		}
	}
	if inner.err != nil {
		m.failed(inner.err)
	}
	return time.Unix(seconds, 0)
}

// arena hands out strings and lists, many from one allocation. What it has
// handed out does not change. Its pieces are small: an object that is kept
// keeps the whole piece.
type arena struct {
	piece     strings.Builder
	texts     []string
	owners    []stuck.Reference
	namespace string
}

const (
	pieceBytes = 4 << 10
	pieceItems = 16
)

func (a *arena) text(b []byte) string {
	if a.piece.Cap()-a.piece.Len() < len(b) {
		a.piece = strings.Builder{}
		a.piece.Grow(max(pieceBytes, len(b)))
	}
	start := a.piece.Len()
	a.piece.Write(b)
	return a.piece.String()[start:]
}

// again is text for what is mostly the same as the last time.
func (a *arena) again(b []byte) string {
	if string(b) != a.namespace {
		a.namespace = string(b)
	}
	return a.namespace
}

// take cuts a list of n off a piece, nil if it is to be empty.
func take[T any](piece *[]T, n int) []T {
	if n == 0 {
		return nil
	}
	if len(*piece) < n {
		*piece = make([]T, max(pieceItems, n))
	}
	out := (*piece)[:n:n]
	*piece = (*piece)[n:]
	return out
}

func (a *arena) reference(owner []byte) (stuck.Reference, error) {
	var ref stuck.Reference
	m := message{rest: owner}
	for m.next() {
		switch m.number {
		case ownerKind:
			ref.Kind = a.text(m.text())
		case ownerName:
			ref.Name = a.text(m.text())
		case ownerUID:
			ref.UID = types.UID(a.text(m.text()))
		case ownerController:
			ref.Controller = m.varint() != 0
		case ownerBlockOwnerDeletion:
			ref.Blocks = m.varint() != 0
		}
	}
	return ref, m.err
}
