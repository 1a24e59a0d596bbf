package wire

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// field is the head of a field whose content is still to arrive.
type field struct {
	number   protowire.Number
	wireType protowire.Type
	size     int64  // of the content, in bytes
	value    uint64 // of a number, whose content is read with the head
}

// nextField reads the head of the next field of a message, and removes the field from
// what is left of the message. The content is for the caller to read or skip, but for
// that of a number.
func (r *Reader) nextField(left *int64) (field, error) {
	tag, n, err := r.varint()
	if err != nil {
		return field{}, err
	}
	*left -= n
	number, kind := protowire.DecodeTag(tag)
	f := field{number: number, wireType: kind}
	switch {
	case number < protowire.MinValidNumber:
		return f, fmt.Errorf("a field has the number %d", tag>>3)
	case kind == protowire.VarintType:
		f.value, n, err = r.varint()
		*left -= n
	case kind == protowire.BytesType:
		var size uint64
		size, n, err = r.varint()
		*left -= n
		f.size = int64(min(size, math.MaxInt64))
	case kind == protowire.Fixed32Type:
		f.size = 4
	case kind == protowire.Fixed64Type:
		f.size = 8
	default:
		return f, errGroup
	}
	if err == nil && f.size > *left || *left < 0 {
		err = fmt.Errorf("field %d is longer than what it is in", number)
	}
	*left -= f.size
	return f, err
}

// varint reads a number, and says how many bytes it took.
func (r *Reader) varint() (uint64, int64, error) {
	head, err := r.in.Peek(10) // the longest there is
	v, n := protowire.ConsumeVarint(head)
	switch {
	case n < 0 && err != nil:
		return 0, 0, err
	case n < 0:
		return 0, 0, protowire.ParseError(n)
	}
	_, err = r.in.Discard(n)
	return v, int64(n), err
}

// skip passes over content, as it arrives.
func (r *Reader) skip(size int64) error {
	for size > 0 {
		n, err := r.in.Discard(int(min(size, math.MaxInt32)))
		if err != nil {
			return err
		}
		size -= int64(n)
	}
	return nil
}

// peekMessage is a message that fits into the window, as soon as all of it has
// arrived. It is there until it is passed.
func (r *Reader) peekMessage(f field) (message, error) {
	switch {
	case f.wireType != protowire.BytesType:
		return message{}, wireTypeError(f.number, f.wireType)
	case f.size > windowBytes:
		return message{}, fmt.Errorf("field %d has %d bytes, more than it ever should", f.number, f.size)
	}
	rest, err := r.in.Peek(int(f.size))
	return message{rest: rest}, err
}

// discardMessage goes on behind a message that was whole.
func (r *Reader) discardMessage(f field, m message) error {
	if m.err != nil {
		return m.err
	}
	return r.skip(f.size)
}

// message is a message that has arrived, and the field of it that is being
// looked at.
type message struct {
	rest     []byte
	number   protowire.Number
	wireType protowire.Type
	bytes    []byte
	value    uint64
	err      error
}

// next goes on to the next field, until there is none or one cannot be read.
func (m *message) next() bool {
	if len(m.rest) == 0 || m.err != nil {
		return false
	}
	var n int
	m.number, m.wireType, n = protowire.ConsumeTag(m.rest)
	if n < 0 {
		return m.fail(protowire.ParseError(n))
	}
	m.rest = m.rest[n:]
	switch m.wireType {
	case protowire.BytesType:
		m.bytes, n = protowire.ConsumeBytes(m.rest)
	case protowire.VarintType:
		m.value, n = protowire.ConsumeVarint(m.rest)
	case protowire.Fixed32Type:
		_, n = protowire.ConsumeFixed32(m.rest)
	case protowire.Fixed64Type:
		_, n = protowire.ConsumeFixed64(m.rest)
	default:
		return m.fail(errGroup)
	}
	if n < 0 {
		return m.fail(protowire.ParseError(n))
	}
	m.rest = m.rest[n:]
	return true
}

// fail notes the first thing that is wrong with the message, and is false.
func (m *message) fail(err error) bool {
	if m.err == nil {
		m.err = err
	}
	return false
}

// bytesValue is the content of a field that has to be a string or a message.
func (m *message) bytesValue() []byte {
	if m.wireType != protowire.BytesType {
		m.fail(wireTypeError(m.number, m.wireType))
		return nil
	}
	return m.bytes
}

// varintValue is the content of a field that has to be a number.
func (m *message) varintValue() uint64 {
	if m.wireType != protowire.VarintType {
		m.fail(wireTypeError(m.number, m.wireType))
		return 0
	}
	return m.value
}

func wireTypeError(number protowire.Number, kind protowire.Type) error {
	return fmt.Errorf("field %d is of the kind %d, which it cannot be", number, kind)
}
