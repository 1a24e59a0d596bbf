// Package wire reads a list of objects while it arrives from an API server,
// and takes from each object what a scan keeps.
//
// Its law: memory does not grow with the list, nor with what a server claims
// of its length; what is not kept is neither read nor copied; and a body that
// is cut short, or is no list, ends in an error and never in a shorter list.
package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Accept asks for a list of metadata, in the form that is cheapest to read. An
// API that is served by someone else may know none but the last.
const Accept = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1," +
	"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"

// List is what stands around the objects of a list.
type List struct {
	// Continue is the token of the next page, empty on the last.
	Continue string
	// ResourceVersion is the state that was listed.
	ResourceVersion string
}

// windowBytes is how much of a body is held at once. Most objects fit into it many
// times; one that does not is read in parts.
const windowBytes = 64 << 10

// Reader reads one list at a time.
type Reader struct {
	in         *bufio.Reader
	objectType stuck.Type
	visit      func(stuck.Object)
	result     List
	meta       metaFields
	arena      arena
}

// NewReader is a reader that has not read yet. It can be used for many lists,
// one after another.
func NewReader() *Reader { return &Reader{in: bufio.NewReaderSize(nil, windowBytes)} }

// protobufPrefix begins what Kubernetes writes in protobuf
// (k8s.io/apimachinery/pkg/runtime/serializer/protobuf).
var protobufPrefix = []byte("k8s\x00")

// Read reads a list of objects of the type, and hands on each object as soon
// as it has arrived. With an error, those before it have been handed on.
func (r *Reader) Read(body io.Reader, of stuck.Type, visit func(stuck.Object)) (List, error) {
	r.in.Reset(body)
	r.objectType, r.visit, r.result = of, visit, List{}
	defer func() { r.in.Reset(nil); r.visit = nil }()
	// What it begins with gives the form as well as a header would, and cannot
	// be set wrong by what is in between.
	head, err := r.in.Peek(len(protobufPrefix))
	switch {
	case bytes.Equal(head, protobufPrefix):
		_, _ = r.in.Discard(len(protobufPrefix))
		err = r.readProtobuf()
	case err == nil || errors.Is(err, io.EOF):
		err = r.readJSON()
	}
	if err != nil {
		return List{}, fmt.Errorf("reading the list: %w", asUnexpectedEOF(err))
	}
	return r.result, nil
}

// asUnexpectedEOF calls an end within a list by its name.
func asUnexpectedEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
