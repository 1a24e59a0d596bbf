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

// maxObjectBytes bounds what one object may take in JSON. It comes whole where
// the server knows no metadata alone.
const maxObjectBytes = 16 << 20

// jsonList is a list in JSON, on its way.
type jsonList struct {
	*json.Decoder
	source *limitedReader
	kind   string
	meta   metav1.ListMeta
	listed bool
}

// readJSON reads a list in JSON, object by object.
func (r *Reader) readJSON() error {
	source := &limitedReader{in: r.in, remaining: maxObjectBytes}
	d := jsonList{Decoder: json.NewDecoder(source), source: source}
	if err := d.expect(json.Delim('{')); err != nil {
		return err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		if err := r.readJSONMember(&d, key); err != nil {
			return err
		}
	}
	if err := d.expect(json.Delim('}')); err != nil {
		return err
	}
	switch _, err := d.Token(); {
	case err == nil:
		return errors.New("more data follows the list")
	case !errors.Is(err, io.EOF):
		return err
	case d.kind == "" || !d.listed:
		return fmt.Errorf("not a list but %q", d.kind)
	}
	r.result = List{Continue: d.meta.Continue, ResourceVersion: d.meta.ResourceVersion}
	return nil
}

// readJSONMember reads one member of the list's own object.
func (r *Reader) readJSONMember(d *jsonList, key json.Token) error {
	switch key {
	case "kind":
		return d.decodeValue(&d.kind)
	case "metadata":
		return d.decodeValue(&d.meta)
	case "items":
		if d.listed {
			return errOrder
		}
		d.listed = true
		return r.readJSONItems(d)
	}
	var other json.RawMessage
	return d.decodeValue(&other)
}

func (r *Reader) readJSONItems(d *jsonList) error {
	begin, err := d.Token()
	switch {
	case err != nil:
		return err
	case begin == nil: // Go's way to write an empty list
		return nil
	case begin != json.Delim('['):
		return fmt.Errorf("items are %v", begin)
	}
	for d.More() {
		var item struct {
			Metadata *objectMeta `json:"metadata"`
		}
		if err := d.decodeValue(&item); err != nil {
			return err
		}
		if item.Metadata == nil {
			return errors.New("an item has no metadata")
		}
		r.visit(item.Metadata.object(r.objectType))
	}
	return d.expect(json.Delim(']'))
}

// objectMeta is what is read of an object's metadata.
type objectMeta struct {
	Name              string                  `json:"name"`
	Namespace         string                  `json:"namespace"`
	UID               types.UID               `json:"uid"`
	ResourceVersion   string                  `json:"resourceVersion"`
	CreationTimestamp metav1.Time             `json:"creationTimestamp"`
	DeletionTimestamp *metav1.Time            `json:"deletionTimestamp"`
	GracePeriod       *int64                  `json:"deletionGracePeriodSeconds"`
	Finalizers        []string                `json:"finalizers"`
	OwnerReferences   []metav1.OwnerReference `json:"ownerReferences"`
}

func (p *objectMeta) object(of stuck.Type) stuck.Object {
	return stuck.ObjectOf(of, metav1.ObjectMeta{
		Name: p.Name, Namespace: p.Namespace, UID: p.UID, ResourceVersion: p.ResourceVersion,
		CreationTimestamp: p.CreationTimestamp, DeletionTimestamp: p.DeletionTimestamp, DeletionGracePeriodSeconds: p.GracePeriod,
		Finalizers: p.Finalizers, OwnerReferences: p.OwnerReferences,
	})
}

func (d *jsonList) expect(want json.Delim) error {
	got, err := d.Token()
	if err == nil && got != want {
		err = fmt.Errorf("%v instead of %v", got, want)
	}
	return err
}

// decodeValue reads one value as Kubernetes reads it: the case of a name counts.
func (d *jsonList) decodeValue(into any) error {
	d.source.remaining = maxObjectBytes
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		return err
	}
	return kjson.Unmarshal(raw, into)
}

// limitedReader ends when one value has taken more than it may.
type limitedReader struct {
	in        io.Reader
	remaining int
}

func (a *limitedReader) Read(p []byte) (int, error) {
	if a.remaining <= 0 {
		return 0, fmt.Errorf("one object has more than %d bytes", maxObjectBytes)
	}
	n, err := a.in.Read(p[:min(len(p), a.remaining)])
	a.remaining -= n
	return n, err
}
