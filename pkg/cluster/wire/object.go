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
	metaGracePeriod       = 10
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

func isReadField(number protowire.Number) bool {
	switch number {
	case metaName, metaNamespace, metaUID, metaResourceVersion, metaCreationTimestamp, metaDeletionTimestamp,
		metaGracePeriod, metaOwnerReferences, metaFinalizers:
		return true
	}
	return false
}

// metaFields are the fields of one object, where they lie in the window.
type metaFields struct {
	name, namespace, uid, resourceVersion []byte
	created, deleted                      time.Time
	gracePeriod                           *int64
	finalizers, owners                    [][]byte
}

func (p *metaFields) reset() { *p = metaFields{finalizers: p.finalizers[:0], owners: p.owners[:0]} }

// read finds the fields of an ObjectMeta. Of one that is there twice the later
// counts, as protobuf has it.
func (p *metaFields) read(meta []byte) error {
	m := message{rest: meta}
	for m.next() {
		switch m.number {
		case metaName:
			p.name = m.bytesValue()
		case metaNamespace:
			p.namespace = m.bytesValue()
		case metaUID:
			p.uid = m.bytesValue()
		case metaResourceVersion:
			p.resourceVersion = m.bytesValue()
		case metaCreationTimestamp:
			p.created = m.timeValue()
		case metaDeletionTimestamp:
			p.deleted = m.timeValue()
		case metaGracePeriod:
			seconds := int64(m.varintValue())
			p.gracePeriod = &seconds
		case metaOwnerReferences:
			p.owners = append(p.owners, m.bytesValue())
		case metaFinalizers:
			p.finalizers = append(p.finalizers, m.bytesValue())
		}
	}
	return m.err
}

// newObject makes an object of the parts that were seen.
func (r *Reader) newObject() (stuck.Object, error) {
	p, a := &r.meta, &r.arena
	o := stuck.Object{
		Type: r.objectType, Namespace: a.namespaceText(p.namespace), Name: a.text(p.name), UID: types.UID(a.text(p.uid)),
		ResourceVersion: a.text(p.resourceVersion), CreationTime: p.created, DeletionTime: p.deleted,
		DeletionGracePeriodSeconds: p.gracePeriod,
	}
	o.Finalizers = allocSlice(&a.texts, len(p.finalizers))
	for i, f := range p.finalizers {
		o.Finalizers[i] = a.text(f)
	}
	o.Owners = allocSlice(&a.owners, len(p.owners))
	var err error
	for i, owner := range p.owners {
		if o.Owners[i], err = a.reference(owner); err != nil {
			return o, err
		}
	}
	return o, nil
}

// timeValue reads a Timestamp as client-go does: in whole seconds, and an empty one
// as none.
func (m *message) timeValue() time.Time {
	inner := message{rest: m.bytesValue()}
	if len(inner.rest) == 0 {
		return time.Time{}
	}
	var seconds int64
	for inner.next() {
		switch inner.number {
		case timeSeconds:
			seconds = int64(inner.varintValue())
		case timeNanos: // which nobody writes
			inner.varintValue()
		}
	}
	if inner.err != nil {
		m.fail(inner.err)
	}
	return time.Unix(seconds, 0)
}

// arena hands out strings and lists, many from one allocation. What it has
// handed out does not change. Its pieces are small: an object that is kept
// keeps the whole piece.
type arena struct {
	chunk     strings.Builder
	texts     []string
	owners    []stuck.OwnerReference
	namespace string
}

const (
	chunkBytes = 4 << 10
	chunkItems = 16
)

func (a *arena) text(b []byte) string {
	if a.chunk.Cap()-a.chunk.Len() < len(b) {
		a.chunk = strings.Builder{}
		a.chunk.Grow(max(chunkBytes, len(b)))
	}
	start := a.chunk.Len()
	a.chunk.Write(b)
	return a.chunk.String()[start:]
}

// namespaceText is text for what is mostly the same as the last time.
func (a *arena) namespaceText(b []byte) string {
	if string(b) != a.namespace {
		a.namespace = string(b)
	}
	return a.namespace
}

// allocSlice cuts a list of n off a piece, nil if it is to be empty.
func allocSlice[T any](chunk *[]T, n int) []T {
	if n == 0 {
		return nil
	}
	if len(*chunk) < n {
		*chunk = make([]T, max(chunkItems, n))
	}
	out := (*chunk)[:n:n]
	*chunk = (*chunk)[n:]
	return out
}

func (a *arena) reference(owner []byte) (stuck.OwnerReference, error) {
	var ref stuck.OwnerReference
	m := message{rest: owner}
	for m.next() {
		switch m.number {
		case ownerKind:
			ref.Kind = a.text(m.bytesValue())
		case ownerName:
			ref.Name = a.text(m.bytesValue())
		case ownerUID:
			ref.UID = types.UID(a.text(m.bytesValue()))
		case ownerController:
			ref.Controller = m.varintValue() != 0
		case ownerBlockOwnerDeletion:
			ref.BlockOwnerDeletion = m.varintValue() != 0
		}
	}
	return ref, m.err
}
