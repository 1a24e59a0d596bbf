package dump

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
)

// readYAML reads YAML documents as they arrive. A list of a whole cluster is one document, which
// a parser would hold in memory many times over: its items are cut out by their indentation, as
// every program writes them, and parsed one by one.
func readYAML(r *bufio.Reader, v visitor) error {
	s := yamlSplitter{visitor: v, indent: -1}
	for {
		line, err := s.readLine(r)
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

// readLine reads a line with its end, which is valid until the next.
func (s *yamlSplitter) readLine(r *bufio.Reader) ([]byte, error) {
	s.lineBuffer = s.lineBuffer[:0]
	for {
		part, err := r.ReadSlice('\n')
		if len(s.lineBuffer) == 0 && err == nil {
			return part, nil
		}
		s.lineBuffer = append(s.lineBuffer, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return s.lineBuffer, err
		}
		if len(s.lineBuffer) > maxDocument {
			return nil, errDocumentTooLarge
		}
	}
}

var metadataKey = regexp.MustCompile(`(?m)^["']?metadata["']?\s*:`)

// yamlSplitter cuts the items of a list out of a document.
type yamlSplitter struct {
	visitor visitor
	// text is the document without its items.
	text bytes.Buffer
	// inItems says that the lines are of the items, each of which begins with a dash behind
	// indent spaces; indent is -1 before the first.
	inItems, list bool
	indent        int
	// metadataFirst says that the metadata of the list is before its items, and does not prove that they are all.
	metadataFirst bool
	item          bytes.Buffer
	// lineBuffer and itemJSON are used again for each line and item.
	lineBuffer []byte
	itemJSON   bytes.Buffer
	// cut says that the last line has no end. All programs end it, and a file that was not written to its
	// end mostly ends in a line: what is left of an object may lack what it says.
	cut bool
}

var (
	errCut     = errors.New("it ends within a line, as a file that was not written to its end: its last object is not read")
	errListCut = errors.New("it ends within a list, as a file that was not written to its end")
)

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
		s.metadataFirst = metadataKey.Match(s.text.Bytes())
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
	raw, err := yamlToBuffer(&s.itemJSON, s.item.Bytes())
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
	if len(d.fields["kind"]) == 0 { // what programs write behind the items
		return errListCut
	}
	if s.metadataFirst {
		delete(d.fields, "metadata")
	}
	return s.visitor.document(d)
}
