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
	errGroup = errors.New("the list contains a protobuf group, which Kubernetes does not write")
	errOrder = errors.New("the fields are not in the order in which Kubernetes writes them")
)

// readProtobuf reads what stands around every message of Kubernetes
// (runtime.Unknown), and the list within it.
func (r *Reader) readProtobuf() error {
	var kind string
	var listed bool
	for left := int64(math.MaxInt64); ; {
		if _, err := r.in.Peek(1); errors.Is(err, io.EOF) {
			break
		}
		f, err := r.nextField(&left)
		switch {
		case err != nil:
		case f.number <= unknownContentType && f.wireType != protowire.BytesType:
			err = wireTypeError(f.number, f.wireType)
		case f.number == unknownTypeMeta && !listed:
			kind, err = r.readTypeMeta(f, kind)
		case f.number == unknownRaw && !listed:
			listed = true
			if kind != " meta.k8s.io/v1 PartialObjectMetadataList" {
				return fmt.Errorf("not a list of metadata but%s", kind)
			}
			err = r.readList(f)
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

// readTypeMeta appends what a TypeMeta says.
func (r *Reader) readTypeMeta(f field, kind string) (string, error) {
	m, err := r.peekMessage(f)
	if err != nil {
		return kind, err
	}
	for m.next() {
		switch m.number {
		case typeMetaAPIVersion, typeMetaKind:
			kind += " " + string(m.bytesValue())
		}
	}
	return kind, r.discardMessage(f, m)
}

// readList reads a PartialObjectMetadataList.
func (r *Reader) readList(raw field) error {
	for left := raw.size; left > 0; {
		f, err := r.nextField(&left)
		switch {
		case err != nil:
		case f.number == listMetadata:
			err = r.readListMeta(f)
		case f.number == listItems:
			err = r.readItem(f)
		default:
			err = r.skip(f.size)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *Reader) readListMeta(f field) error {
	m, err := r.peekMessage(f)
	if err != nil {
		return err
	}
	for m.next() {
		switch m.number {
		case listMetaContinue:
			r.result.Continue = string(m.bytesValue())
		case listMetaResourceVersion:
			r.result.ResourceVersion = string(m.bytesValue())
		}
	}
	return r.discardMessage(f, m)
}

// readItem reads one PartialObjectMetadata and hands it on.
func (r *Reader) readItem(f field) error {
	r.meta.reset()
	if f.size > windowBytes {
		if err := r.readLargeItem(f); err != nil {
			return err
		}
		return r.visitObject()
	}
	m, err := r.peekMessage(f)
	if err != nil {
		return err
	}
	for m.next() {
		if m.number == itemMetadata {
			m.fail(r.meta.read(m.bytesValue()))
		}
	}
	if m.err == nil {
		m.fail(r.visitObject())
	}
	return r.discardMessage(f, m)
}

// visitObject hands on the object whose parts were seen, while they are there.
func (r *Reader) visitObject() error {
	o, err := r.newObject()
	if err == nil {
		r.visit(o)
	}
	return err
}

// maxKeptBytes bounds what is kept of one object. Kubernetes stores no larger one.
const maxKeptBytes = 2 << 20

// readLargeItem reads an item that does not fit into the window: first what is to be
// kept of it is brought together, and then that is read.
func (r *Reader) readLargeItem(f field) error {
	if f.wireType != protowire.BytesType {
		return wireTypeError(f.number, f.wireType)
	}
	var kept []byte
	for left := f.size; left > 0; {
		f, err := r.nextField(&left)
		if err != nil {
			return err
		}
		if f.number != itemMetadata {
			if err := r.skip(f.size); err != nil {
				return err
			}
			continue
		}
		if kept, err = r.appendReadFields(f, kept); err != nil {
			return err
		}
	}
	return r.meta.read(kept)
}

// appendReadFields appends the fields of an ObjectMeta that are read to what is kept.
func (r *Reader) appendReadFields(meta field, kept []byte) ([]byte, error) {
	if meta.wireType != protowire.BytesType {
		return nil, wireTypeError(meta.number, meta.wireType)
	}
	for left := meta.size; left > 0; {
		f, err := r.nextField(&left)
		switch {
		case err != nil:
			return nil, err
		case !isReadField(f.number):
			err = r.skip(f.size)
		case f.wireType == protowire.VarintType && f.number == metaGracePeriod:
			kept = protowire.AppendVarint(protowire.AppendTag(kept, f.number, f.wireType), f.value)
		case f.wireType != protowire.BytesType:
			err = wireTypeError(f.number, f.wireType)
		case f.size > int64(maxKeptBytes-len(kept)):
			err = fmt.Errorf("more than %d bytes of one object would have to be kept", maxKeptBytes)
		default:
			kept = protowire.AppendTag(kept, f.number, f.wireType)
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
