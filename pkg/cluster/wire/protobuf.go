package wire

import (
	"errors"
	"fmt"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// The numbers of the fields that are read, from the generated.proto files of
// k8s.io/apimachinery/pkg/runtime and k8s.io/apimachinery/pkg/apis/meta/v1.
const (
	unknownTypeMeta        = 1
	unknownRaw             = 2
	unknownContentEncoding = 3
	unknownContentType     = 4

	typeMetaAPIVersion = 1
	typeMetaKind       = 2

	listMetadata = 1
	listItems    = 2

	listMetaResourceVersion = 2
	listMetaContinue        = 3

	itemMetadata = 1
)

var (
	errGroup = errors.New("it holds a group, which Kubernetes does not write")
	errOrder = errors.New("its parts come in an order in which Kubernetes does not write them")
)

// protobuf reads what stands around every message of Kubernetes
// (runtime.Unknown), and the list within it.
func (r *Reader) protobuf() error {
	var kind string
	var listed bool
	for left := int64(math.MaxInt64); ; {
		if _, err := r.in.Peek(1); errors.Is(err, io.EOF) {
			break
		}
		f, err := r.next(&left)
		switch {
		case err != nil:
		case f.number <= unknownContentType && f.kind != protowire.BytesType:
			err = wrongKind(f.number, f.kind)
		case f.number == unknownTypeMeta && !listed:
			kind, err = r.typeMeta(f, kind)
		case f.number == unknownRaw && !listed:
			listed = true
			if kind != " meta.k8s.io/v1 PartialObjectMetadataList" {
				return fmt.Errorf("it is no list of metadata but%s", kind)
			}
			err = r.list(f)
		case f.number < unknownContentEncoding, f.number == unknownContentEncoding && f.size > 0:
			err = errOrder
		default:
			err = r.skip(f.size)
		}
		if err != nil {
			return err
		}
	}
	if !listed {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// typeMeta appends what a TypeMeta says.
func (r *Reader) typeMeta(f field, kind string) (string, error) {
	m, err := r.whole(f)
	if err != nil {
		return kind, err
	}
	for m.next() {
		switch m.number {
		case typeMetaAPIVersion, typeMetaKind:
			kind += " " + string(m.text())
		}
	}
	return kind, r.pass(f, m)
}

// list reads a PartialObjectMetadataList.
func (r *Reader) list(raw field) error {
	for left := raw.size; left > 0; {
		f, err := r.next(&left)
		switch {
		case err != nil:
		case f.number == listMetadata:
			err = r.listMeta(f)
		case f.number == listItems:
			err = r.item(f)
		default:
			err = r.skip(f.size)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *Reader) listMeta(f field) error {
	m, err := r.whole(f)
	if err != nil {
		return err
	}
	for m.next() {
		switch m.number {
		case listMetaContinue:
			r.found.Continue = string(m.text())
		case listMetaResourceVersion:
			r.found.ResourceVersion = string(m.text())
		}
	}
	return r.pass(f, m)
}

// item reads one PartialObjectMetadata and hands it on.
func (r *Reader) item(f field) error {
	r.seen.reset()
	if f.size > window {
		if err := r.large(f); err != nil {
			return err
		}
		return r.hand()
	}
	m, err := r.whole(f)
	if err != nil {
		return err
	}
	for m.next() {
		if m.number == itemMetadata {
			m.failed(r.seen.read(m.text()))
		}
	}
	if m.err == nil {
		m.failed(r.hand())
	}
	return r.pass(f, m)
}

// hand hands on the object whose parts were seen, while they are there.
func (r *Reader) hand() error {
	o, err := r.object()
	if err == nil {
		r.visit(o)
	}
	return err
}

// mostKept bounds what is kept of one object. Kubernetes stores no larger one.
const mostKept = 2 << 20

// large reads an item that does not fit into the window: first what is to be
// kept of it is brought together, and then that is read.
func (r *Reader) large(f field) error {
	if f.kind != protowire.BytesType {
		return wrongKind(f.number, f.kind)
	}
	var kept []byte
	for left := f.size; left > 0; {
		f, err := r.next(&left)
		if err != nil {
			return err
		}
		if f.number != itemMetadata {
			if err := r.skip(f.size); err != nil {
				return err
			}
			continue
		}
		if kept, err = r.squeeze(f, kept); err != nil {
			return err
		}
	}
	return r.seen.read(kept)
}

// squeeze appends the fields of an ObjectMeta that are read to what is kept.
func (r *Reader) squeeze(meta field, kept []byte) ([]byte, error) {
	if meta.kind != protowire.BytesType {
		return nil, wrongKind(meta.number, meta.kind)
	}
	for left := meta.size; left > 0; {
		f, err := r.next(&left)
		switch {
		case err != nil:
			return nil, err
		case !isRead(f.number):
			err = r.skip(f.size)
		case f.kind != protowire.BytesType:
			err = wrongKind(f.number, f.kind)
		case f.size > int64(mostKept-len(kept)):
			err = fmt.Errorf("more than %d bytes of one object would have to be kept", mostKept)
		default:
			kept = protowire.AppendTag(kept, f.number, f.kind)
			kept = protowire.AppendVarint(kept, uint64(f.size))
			value := make([]byte, f.size)
			_, err = io.ReadFull(r.in, value)
			kept = append(kept, value...)
		}
		if err != nil {
			return nil, err
		}
	}
	return kept, nil
}
