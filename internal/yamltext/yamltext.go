// Package yamltext writes objects as YAML that reads back as exactly what was
// written, and reads them so.
//
// Its law: no number and no character changes on the way, and no character that
// a terminal or a YAML parser would act on is written as it is.
package yamltext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode"

	"go.yaml.in/yaml/v3"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	sigsjson "sigs.k8s.io/json"
	sigsyaml "sigs.k8s.io/yaml"
)

// Marshal writes an object as YAML. Where YAML in its usual form would change a
// character, it is written as JSON, which is YAML too.
func Marshal(object any) ([]byte, error) {
	data, err := compactJSON(object)
	if err != nil {
		return nil, err
	}
	// Characters that YAML does not allow are allowed by their numbers.
	text, err := sigsyaml.JSONToYAML(escape(data))
	if err == nil && (isPlain(data) || bytes.IndexFunc(text, isUnsafe) < 0 && readsBack(text, data)) {
		return text, nil
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, data, "", "  "); err != nil {
		return nil, err
	}
	text = append(escape(indented.Bytes()), '\n')
	if !readsBack(text, data) {
		return nil, errors.New("it cannot be written as YAML without changing it")
	}
	return text, nil
}

// Unmarshal reads one object from YAML or JSON. Whole numbers stay whole, and a
// key that is given twice or a second document is an error.
func Unmarshal(text []byte) (map[string]any, error) {
	if object, isJSON, err := unmarshalJSON(text); isJSON {
		return object, err
	}
	if err := checkSingleDocument(text); err != nil {
		return nil, err
	}
	data, err := sigsyaml.YAMLToJSONStrict(text)
	if err != nil {
		return nil, err
	}
	object := map[string]any{}
	err = utiljson.Unmarshal(data, &object)
	return object, err
}

// unmarshalJSON reads JSON, in which a key may be longer than YAML takes one. It
// reports whether that is what the text is.
func unmarshalJSON(text []byte) (object map[string]any, isJSON bool, err error) {
	for bytes.HasPrefix(text, []byte("#")) {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	if !bytes.HasPrefix(text, []byte("{")) {
		return nil, false, nil
	}
	object = map[string]any{}
	strict, err := sigsjson.UnmarshalStrict(text, &object, sigsjson.DisallowDuplicateFields)
	return object, err == nil, errors.Join(strict...)
}

// Equal reports whether two objects are the same when they are sent.
func Equal(a, b any) bool {
	first, errFirst := compactJSON(a)
	second, errSecond := compactJSON(b)
	return errFirst == nil && errSecond == nil && bytes.Equal(first, second)
}

func checkSingleDocument(text []byte) error {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for found := 0; ; {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if len(document.Content) == 1 && document.Content[0].Tag == "!!null" {
			continue // what stands between two lines of dashes
		}
		if found++; found > 1 {
			return errors.New("it holds several documents")
		}
	}
}

// isPlain reports whether JSON holds no characters but those that every YAML
// takes as they are, and no key that YAML takes for a merge: then there is no
// need to look, which takes as long again.
func isPlain(data []byte) bool {
	return !bytes.Contains(data, []byte(`\u`)) && !bytes.Contains(data, []byte(`"<<"`)) && bytes.IndexFunc(data, func(r rune) bool { return r < ' ' || r > '~' }) < 0
}

// readsBack reports whether a text holds the object that JSON holds.
func readsBack(text, data []byte) bool {
	object, err := Unmarshal(text)
	if err != nil {
		return false
	}
	want := map[string]any{}
	return utiljson.Unmarshal(data, &want) == nil && Equal(object, want)
}

func compactJSON(object any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(object); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// escape writes unsafe characters out by number. In JSON they stand in strings
// only. Those beyond the first plane have no number in JSON that YAML knows, so
// they get YAML's own.
func escape(data []byte) []byte {
	var b bytes.Buffer
	for _, r := range string(data) {
		switch {
		case !isUnsafe(r):
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			fmt.Fprintf(&b, "\\U%08x", r)
		}
	}
	return b.Bytes()
}

// isUnsafe holds for control characters, those of format, all that some parser
// takes for the end of a line, and what is no character.
func isUnsafe(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || r&0xfffe == 0xfffe)
}
