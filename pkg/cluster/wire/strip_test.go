package wire_test

import (
	"bytes"
	"encoding/json"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "k8s.io/apimachinery/pkg/util/json"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/wire"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var pods = stuck.Type{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true, Listable: true}

// answer is what a list says.
type answer struct {
	List    wire.List
	Objects []stuck.Object
}

func answerOf(list *metav1.PartialObjectMetadataList) answer {
	a := answer{List: wire.List{Continue: list.Continue, ResourceVersion: list.ResourceVersion}}
	for i := range list.Items {
		a.Objects = append(a.Objects, stuck.ObjectOf(pods, list.Items[i].ObjectMeta))
	}
	return a
}

// readerAnswer is the answer as the reader has it.
func readerAnswer(body []byte) (answer, error) {
	var a answer
	var err error
	a.List, err = wire.NewReader().Read(bytes.NewReader(body), pods, func(o stuck.Object) { a.Objects = append(a.Objects, o) })
	return a, err
}

// clientGoAnswer is the answer as client-go has it. What the reader passes over
// unread is taken out before, because it is not its business to judge it.
func clientGoAnswer(body []byte) (answer, error) {
	list := &metav1.PartialObjectMetadataList{}
	if !bytes.HasPrefix(body, []byte("k8s\x00")) {
		if err := kjson.Unmarshal(body, list); err != nil {
			return answer{}, fmt.Errorf("as JSON: %w", err)
		}
		return answerOf(list), nil
	}
	unknown := &runtime.Unknown{}
	if err := unknown.Unmarshal(body[4:]); err != nil {
		return answer{}, fmt.Errorf("around the list: %w", err)
	}
	raw, err := strip(unknown.Raw, map[protowire.Number]stripper{
		1: keepFields(2, 3), 2: stripWithin(1, stripWithin(13, keepFields(1, 3, 4, 6, 7), 1, 3, 5, 6, 8, 9, 10, 14)),
	})
	if err != nil {
		return answer{}, err
	}
	if err := list.Unmarshal(raw); err != nil {
		return answer{}, fmt.Errorf("the list: %w", err)
	}
	return answerOf(list), nil
}

// stripper takes out of a message what is not read.
type stripper func([]byte) ([]byte, error)

func keepFields(numbers ...protowire.Number) stripper {
	return stripWithin(numbers[0], nil, numbers...)
}

// stripWithin strips one field, beside others that are kept as they are.
func stripWithin(number protowire.Number, inner stripper, others ...protowire.Number) stripper {
	keep := map[protowire.Number]stripper{number: inner}
	for _, n := range others {
		keep[n] = nil
	}
	return func(b []byte) ([]byte, error) { return strip(b, keep) }
}

func strip(b []byte, keep map[protowire.Number]stripper) ([]byte, error) {
	var out []byte
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeField(b)
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		_ = kind
		field := b[:n]
		b = b[n:]
		inner, ok := keep[number]
		if !ok {
			continue
		}
		if inner == nil || kind != protowire.BytesType {
			out = append(out, field...)
			continue
		}
		_, _, head := protowire.ConsumeTag(field)
		content, _ := protowire.ConsumeBytes(field[head:])
		content, err := inner(content)
		if err != nil {
			return nil, err
		}
		out = protowire.AppendBytes(protowire.AppendTag(out, number, kind), content)
	}
	return out, nil
}

// encode is the list as an API server would send it.
func encode(list *metav1.PartialObjectMetadataList) []byte {
	raw, err := list.Marshal()
	if err != nil {
		panic(err)
	}
	unknown := runtime.Unknown{
		TypeMeta: runtime.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadataList"}, Raw: raw,
	}
	body, err := unknown.Marshal()
	if err != nil {
		panic(err)
	}
	return append([]byte("k8s\x00"), body...)
}

func encodeJSON(list *metav1.PartialObjectMetadataList) []byte {
	list.TypeMeta = metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadataList"}
	body, err := json.Marshal(list)
	if err != nil {
		panic(err)
	}
	return body
}
