package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kjson "k8s.io/apimachinery/pkg/util/json"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// mostBuffered bounds what one object may take in JSON. It comes whole where
// the server knows no metadata alone.
const mostBuffered = 16 << 20

// document is a list in JSON, on its way.
type document struct {
	*json.Decoder
	source *allowance
	kind   string
	meta   metav1.ListMeta
	listed bool
}

// json reads a list in JSON, object by object.
func (r *Reader) json() error {
	source := &allowance{in: r.in, left: mostBuffered}
	d := document{Decoder: json.NewDecoder(source), source: source}
	if err := d.expect(json.Delim('{')); err != nil {
		return err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		if err := r.member(&d, key); err != nil {
			return err
		}
	}
	if err := d.expect(json.Delim('}')); err != nil {
		return err
	}
	switch _, err := d.Token(); {
	case err == nil:
		return errors.New("something follows it")
	case !errors.Is(err, io.EOF):
		return err
	case d.kind == "" || !d.listed:
		return fmt.Errorf("it is no list but %q", d.kind)
	}
	r.found = List{Continue: d.meta.Continue, ResourceVersion: d.meta.ResourceVersion}
	return nil
}

// member reads one member of the list's own object.
func (r *Reader) member(d *document, key json.Token) error {
	switch key {
	case "kind":
		return d.value(&d.kind)
	case "metadata":
		return d.value(&d.meta)
	case "items":
		if d.listed {
			return errOrder
		}
		d.listed = true
		return r.items(d)
	}
	var other json.RawMessage
	return d.value(&other)
}

func (r *Reader) items(d *document) error {
	begin, err := d.Token()
	switch {
	case err != nil:
		return err
	case begin == nil: // Go's way to write an empty list
		return nil
	case begin != json.Delim('['):
		return fmt.Errorf("its items are %v", begin)
	}
	for d.More() {
		var one struct {
			Metadata *partial `json:"metadata"`
		}
		if err := d.value(&one); err != nil {
			return err
		}
		if one.Metadata == nil {
			return errors.New("one of its items has no metadata")
		}
		r.visit(one.Metadata.object(r.of))
	}
	return d.expect(json.Delim(']'))
}

// partial is what is read of an object's metadata.
type partial struct {
	Name              string                  `json:"name"`
	Namespace         string                  `json:"namespace"`
	UID               types.UID               `json:"uid"`
	ResourceVersion   string                  `json:"resourceVersion"`
	CreationTimestamp metav1.Time             `json:"creationTimestamp"`
	DeletionTimestamp *metav1.Time            `json:"deletionTimestamp"`
	Finalizers        []string                `json:"finalizers"`
	OwnerReferences   []metav1.OwnerReference `json:"ownerReferences"`
}

func (p *partial) object(of stuck.Type) stuck.Object {
	return stuck.ObjectOf(of, metav1.ObjectMeta{
		Name: p.Name, Namespace: p.Namespace, UID: p.UID, ResourceVersion: p.ResourceVersion,
		CreationTimestamp: p.CreationTimestamp, DeletionTimestamp: p.DeletionTimestamp,
		Finalizers: p.Finalizers, OwnerReferences: p.OwnerReferences,
	})
}

func (d *document) expect(want json.Delim) error {
	got, err := d.Token()
	if err == nil && got != want {
		err = fmt.Errorf("there is %v where %v should be", got, want)
	}
	return err
}

// value reads one value as Kubernetes reads it: the case of a name counts.
func (d *document) value(into any) error {
	d.source.left = mostBuffered
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		return err
	}
	return kjson.Unmarshal(raw, into)
}

// allowance ends when one value has taken more than it may.
type allowance struct {
	in   io.Reader
	left int
}

func (a *allowance) Read(p []byte) (int, error) {
	if a.left <= 0 {
		return 0, fmt.Errorf("one object has more than %d bytes", mostBuffered)
	}
	n, err := a.in.Read(p[:min(len(p), a.left)])
	a.left -= n
	return n, err
}
