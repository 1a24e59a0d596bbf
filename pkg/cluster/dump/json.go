package dump

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// document is what is known of one document besides its items.
type document struct {
	// Fields are the fields of the document, without its items.
	fields map[string]json.RawMessage
	// list says that it is a list, and array that it is one without a kind.
	list, array bool
}

func (d document) text(field string) string {
	var value string
	_ = json.Unmarshal(d.fields[field], &value) // what is no text is none
	return value
}

// isWholeAnswer reports whether a list is what an API server answered, with nothing behind it. Such a
// list has a resourceVersion. One that kubectl get printed has none, since it may be of any selection,
// and neither has one whose file was cut: programs write the metadata of a list behind its items in YAML, and
// where it is before them it is not counted.
func (d document) isWholeAnswer() bool {
	var metadata metav1.ListMeta
	err := json.Unmarshal(d.fields["metadata"], &metadata)
	return err == nil && metadata.ResourceVersion != "" && metadata.Continue == "" && metadata.RemainingItemCount == nil
}

// visitor is given the content of a file: the items of a list one by one, then the document
// that they were in.
type visitor interface {
	item(raw []byte) error
	document(d document) error
}

// readJSON reads JSON documents as they arrive, and holds no more than one object of them.
func readJSON(r io.Reader, v visitor) error {
	bounded := &boundedReader{reader: r, left: maxDocument}
	decoder := json.NewDecoder(bounded)
	for {
		bounded.left = maxDocument
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		d := document{fields: map[string]json.RawMessage{}}
		switch token {
		case json.Delim('{'):
			err = d.readFields(decoder, bounded, v)
		case json.Delim('['):
			d.list, d.array = true, true
			err = readItems(decoder, bounded, v)
		case nil: // "null", as a list of nothing is written
			continue
		default:
			return fmt.Errorf("a document begins with %v, and is neither an object nor a list", token)
		}
		if err != nil {
			return noEOF(err)
		}
		if err := v.document(d); err != nil {
			return err
		}
	}
}

func (d *document) readFields(decoder *json.Decoder, bounded *boundedReader, v visitor) error {
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return err
		}
		if key == "items" {
			if d.list {
				return errors.New("a list has its items twice")
			}
			token, err := decoder.Token()
			if err != nil {
				return err
			}
			d.list = true
			switch token {
			case json.Delim('['):
				if err := readItems(decoder, bounded, v); err != nil {
					return err
				}
			case nil:
			default:
				return fmt.Errorf("the items of a list are %v", token)
			}
			continue
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return err
		}
		d.fields[key.(string)] = value
	}
	_, err := decoder.Token()
	return err
}

func readItems(decoder *json.Decoder, bounded *boundedReader, v visitor) error {
	for decoder.More() {
		bounded.left = maxDocument
		var item json.RawMessage
		if err := decoder.Decode(&item); err != nil {
			return err
		}
		if err := v.item(item); err != nil {
			return err
		}
	}
	bounded.left = maxDocument
	_, err := decoder.Token()
	return err
}

// object is the document as one object.
func (d document) object() ([]byte, error) { return json.Marshal(d.fields) }

// noEOF is the error of a document that ends in its middle.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// boundedReader ends a value that is longer than an object may be.
type boundedReader struct {
	reader io.Reader
	left   int64
}

func (r *boundedReader) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, errDocumentTooLarge
	}
	n, err := r.reader.Read(p[:min(int64(len(p)), r.left)])
	r.left -= int64(n)
	return n, err
}

// isJSON reports whether a text begins as JSON does.
func isJSON(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	return len(head) > 0 && (head[0] == '{' || head[0] == '[' || bytes.HasPrefix(head, []byte("null")))
}
