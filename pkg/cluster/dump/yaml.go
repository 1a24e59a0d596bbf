package dump

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// readYAML reads YAML documents as they arrive. A list of a whole cluster is one document, which
// a parser would hold in memory many times over: its items are cut out by their indentation, as
// every program writes them, and parsed one by one.
func readYAML(r *bufio.Reader, v visitor) error {
	s := yamlSplitter{visitor: v, indent: -1}
	for {
		line, err := readLine(r, maxDocument)
		if len(line) > 0 {
			if err := s.line(line); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			s.cut = len(line) > 0
			return s.endDocument()
		}
		if err != nil {
			return err
		}
	}
}

// readLine reads a line with its end.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
		if len(line) > limit {
			return nil, errDocumentTooLarge
		}
	}
}

// yamlSplitter cuts the items of a list out of a document.
type yamlSplitter struct {
	visitor visitor
	// text is the document without its items.
	text bytes.Buffer
	// inItems says that the lines are of the items, each of which begins with a dash behind
	// indent spaces; indent is -1 before the first.
	inItems, list bool
	indent        int
	item          bytes.Buffer
	// cut says that the last line has no end. All programs end it, and a file that was not written to its
	// end mostly ends in a line: what is left of an object may lack what it says.
	cut bool
}

var errCut = errors.New("it ends within a line, as a file that was not written to its end: its last object is not read")

func (s *yamlSplitter) line(line []byte) error {
	content := bytes.TrimRight(line, " \t\r\n")
	if bytes.Equal(content, []byte("---")) || bytes.HasPrefix(line, []byte("--- ")) || bytes.Equal(content, []byte("...")) {
		return s.endDocument()
	}
	if s.inItems {
		done, err := s.itemLine(line, content)
		if done || err != nil {
			return err
		}
	}
	if bytes.Equal(content, []byte("items:")) {
		if s.list {
			return errors.New("a list has its items twice")
		}
		s.inItems, s.list, s.indent = true, true, -1
		return nil
	}
	s.text.Write(line)
	if s.text.Len() > maxDocument {
		return errDocumentTooLarge
	}
	return nil
}

// itemLine takes a line of the items, and is not done with one that is behind them.
func (s *yamlSplitter) itemLine(line, content []byte) (done bool, err error) {
	spaces := len(content) - len(bytes.TrimLeft(content, " "))
	isDash := len(content) > spaces && content[spaces] == '-' && (len(content) == spaces+1 || content[spaces+1] == ' ')
	switch {
	case isDash && s.indent < 0:
		s.indent = spaces
	case len(content) == 0:
		s.item.Write(line)
		return true, s.checkItem()
	case s.indent < 0, spaces < s.indent, spaces == s.indent && !isDash:
		s.inItems = false
		return false, s.endItem()
	}
	if isDash && spaces == s.indent {
		if err := s.endItem(); err != nil {
			return true, err
		}
		s.item.WriteByte(' ')
		line = line[spaces+1:]
	} else {
		line = line[s.indent:]
	}
	s.item.Write(line)
	return true, s.checkItem()
}

func (s *yamlSplitter) checkItem() error {
	if s.item.Len() > maxDocument {
		return errDocumentTooLarge
	}
	return nil
}

func (s *yamlSplitter) endItem() error {
	if len(bytes.TrimSpace(s.item.Bytes())) == 0 {
		s.item.Reset()
		return nil
	}
	raw, err := yamlToJSON(s.item.Bytes())
	s.item.Reset()
	if err == nil && s.cut {
		err = errCut
	}
	if err != nil {
		return err
	}
	return s.visitor.item(raw)
}

func (s *yamlSplitter) endDocument() error {
	if err := s.endItem(); err != nil {
		return err
	}
	raw, err := yamlToJSON(s.text.Bytes())
	if err == nil && s.cut {
		err = errCut
	}
	list := s.list
	s.text.Reset()
	s.inItems, s.list = false, false
	if err != nil || raw == nil && !list {
		return err
	}
	if !list {
		return readJSON(bytes.NewReader(raw), s.visitor)
	}
	d := document{list: true}
	if err := json.Unmarshal(raw, &d.fields); raw != nil && err != nil {
		return err
	}
	return s.visitor.document(d)
}

// maxDepth is how deep the values of a document may be nested.
const maxDepth = 500

// yamlToJSON is one YAML document as JSON, nothing where it has no content. Aliases are refused:
// no program writes them into a dump, and a short text can stand for gigabytes with them.
func yamlToJSON(text []byte) ([]byte, error) {
	if err := checkValues(text); err != nil {
		return nil, err
	}
	var node yaml.Node
	if err := yaml.Unmarshal(text, &node); err != nil {
		return nil, err
	}
	if node.Kind == 0 {
		return nil, nil
	}
	var out bytes.Buffer
	if err := writeNode(&out, &node, 0); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func writeNode(out *bytes.Buffer, node *yaml.Node, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("line %d: values are nested deeper than %d", node.Line, maxDepth)
	}
	switch node.Kind {
	case yaml.DocumentNode:
		return writeNode(out, node.Content[0], depth+1)
	case yaml.AliasNode:
		return fmt.Errorf("line %d: it has a YAML alias, which no dump has", node.Line)
	case yaml.SequenceNode:
		for i, each := range node.Content {
			out.WriteByte("[,"[min(i, 1)])
			if err := writeNode(out, each, depth+1); err != nil {
				return err
			}
		}
		if len(node.Content) == 0 {
			out.WriteByte('[')
		}
		out.WriteByte(']')
		return nil
	case yaml.MappingNode:
		return writeMapping(out, node, depth)
	}
	return writeScalar(out, node)
}

func writeMapping(out *bytes.Buffer, node *yaml.Node, depth int) error {
	out.WriteByte('{')
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" || seen[key.Value] {
			return fmt.Errorf("line %d: a key is no text, or is there twice", key.Line)
		}
		seen[key.Value] = true
		if i > 0 {
			out.WriteByte(',')
		}
		writeText(out, key.Value)
		out.WriteByte(':')
		if err := writeNode(out, node.Content[i+1], depth+1); err != nil {
			return err
		}
	}
	out.WriteByte('}')
	return nil
}

// writeScalar writes a value as JSON. A date is a text: so the API has it.
func writeScalar(out *bytes.Buffer, node *yaml.Node) error {
	switch node.ShortTag() {
	case "!!bool", "!!int", "!!float", "!!null":
		var value any
		if err := node.Decode(&value); err != nil {
			return err
		}
		text, err := json.Marshal(value)
		out.Write(text)
		return err
	}
	writeText(out, node.Value)
	return nil
}

func writeText(out *bytes.Buffer, text string) {
	quoted, _ := json.Marshal(text) // a text can always be written
	out.Write(quoted)
}
