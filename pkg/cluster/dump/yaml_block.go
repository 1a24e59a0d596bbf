package dump

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// blockParser turns the YAML that programs write for objects into JSON: blocks, with scalars as go-yaml
// writes them. The library needs many times as long, and a dump has hundreds of megabytes of it. What it
// does not know for certain it leaves to the library (TestBlocks and FuzzBlocks compare the two).
type blockParser struct {
	out  *bytes.Buffer
	rest []byte
	// indent and content are of the line that is read next; content is nil at the end.
	indent  int
	content []byte
	depth   int
	scalar  bytes.Buffer
}

// maxBlockDepth and maxBlockKeys bound what objects have by far.
const (
	maxBlockDepth = 100
	maxBlockKeys  = 256
)

// blockToJSON writes a document as JSON, and reports whether it could. If not, it may have written a part.
func blockToJSON(out *bytes.Buffer, text []byte) bool {
	if !isPlainText(text) {
		return false
	}
	p := blockParser{out: out, rest: text}
	return p.advance() && p.content != nil && p.node() && p.content == nil
}

// isPlainText reports whether a text has no characters that YAML treats in its own way.
func isPlainText(text []byte) bool {
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
				return false
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if r < 0xa0 || r == 0x2028 || r == 0x2029 || r >= 0xfeff && r <= 0xffff {
			return false
		}
		i += size
	}
	return true
}

// advance goes to the next line.
func (p *blockParser) advance() bool {
	if len(bytes.Trim(p.rest, " \n")) == 0 {
		p.rest, p.content = nil, nil
		return true
	}
	line, rest, _ := bytes.Cut(p.rest, []byte{'\n'})
	if bytes.HasPrefix(line, []byte("---")) || bytes.HasPrefix(line, []byte("...")) {
		return false // it may end the document
	}
	p.rest = rest
	p.content = bytes.Trim(line, " ")
	p.indent = len(line) - len(bytes.TrimLeft(line, " "))
	return len(p.content) > 0 && p.content[0] != '#' && bytes.IndexByte(p.content, '\t') < 0
}

// node is the mapping or sequence that begins in this line.
func (p *blockParser) node() bool {
	if p.depth++; p.depth > maxBlockDepth {
		return false
	}
	defer func() { p.depth-- }()
	if isDash(p.content) {
		return p.sequence(p.indent)
	}
	return p.mapping(p.indent)
}

// isDash reports whether a line begins an item of a sequence.
func isDash(content []byte) bool {
	return content[0] == '-' && (len(content) == 1 || content[1] == ' ')
}

func (p *blockParser) mapping(indent int) bool {
	p.out.WriteByte('{')
	var keys [][]byte
	for p.content != nil && p.indent == indent {
		key, rest, ok := cutKey(p.content)
		if !ok || len(keys) == maxBlockKeys || slices.ContainsFunc(keys, func(k []byte) bool { return bytes.Equal(k, key) }) {
			return false
		}
		if len(keys) > 0 {
			p.out.WriteByte(',')
		}
		keys = append(keys, key)
		writeText(p.out, string(key))
		p.out.WriteByte(':')
		if !p.value(indent, rest) {
			return false
		}
	}
	p.out.WriteByte('}')
	return p.content == nil || p.indent < indent
}

// cutKey is the key with which a line begins, and what is behind it.
func cutKey(content []byte) (key, rest []byte, ok bool) {
	i := bytes.IndexByte(content, ':')
	for i >= 0 && i+1 < len(content) && content[i+1] != ' ' {
		next := bytes.IndexByte(content[i+1:], ':')
		if next < 0 {
			return nil, nil, false
		}
		i += 1 + next
	}
	if i <= 0 || i > maxKey {
		return nil, nil, false
	}
	key, rest = content[:i], bytes.TrimLeft(content[i+1:], " ")
	if quote := key[0]; quote == '"' || quote == '\'' {
		inner := key[1:]
		isWhole := len(inner) > 0 && bytes.IndexByte(inner, quote) == len(inner)-1 && bytes.IndexByte(inner, '\\') < 0
		return inner[:max(0, len(inner)-1)], rest, isWhole
	}
	isPlain := isPlainStart(key) && key[0] != '<' && key[len(key)-1] != ' ' && !bytes.Contains(key, []byte(" #"))
	return key, rest, isPlain
}

// maxKey is how long a key may be in YAML, less what may be around it.
const maxKey = 1000

// isPlainStart reports whether a scalar without quotes may begin so, and is nothing else in YAML.
func isPlainStart(text []byte) bool {
	c := text[0]
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || bytes.IndexByte([]byte("/._$(+<=~"), c) >= 0 ||
		c == '-' && !isDash(text)
}

func (p *blockParser) sequence(indent int) bool {
	p.out.WriteByte('[')
	for first := true; p.content != nil && p.indent == indent && isDash(p.content); first = false {
		if !first {
			p.out.WriteByte(',')
		}
		rest := bytes.TrimLeft(p.content[1:], " ")
		if len(rest) == 0 {
			return false
		}
		_, _, isMapping := cutKey(rest)
		ok := false
		if isMapping || isDash(rest) { // a block that begins behind the dash
			p.indent, p.content = indent+len(p.content)-len(rest), rest
			ok = p.node()
		} else {
			ok = p.value(indent, rest)
		}
		if !ok {
			return false
		}
	}
	p.out.WriteByte(']')
	return p.content == nil || p.indent <= indent
}

// value is what stands behind a key or a dash of a block with this indentation, or below a key.
func (p *blockParser) value(indent int, text []byte) bool {
	if len(text) == 0 {
		switch ok := p.advance(); {
		case !ok:
			return false
		case p.content != nil && (p.indent > indent || p.indent == indent && isDash(p.content)):
			return p.node()
		}
		p.out.WriteString("null")
		return true
	}
	switch text[0] {
	case '{', '[':
		if string(text) != "{}" && string(text) != "[]" {
			return false
		}
		p.out.Write(text)
		return p.advance() && (p.content == nil || p.indent <= indent)
	case '|':
		return p.literal(indent, string(text))
	case '"', '\'':
		return p.quoted(indent, text)
	}
	return p.plain(indent, text)
}
