package dump

import (
	"bytes"
	"encoding/json"

	"go.yaml.in/yaml/v3"
)

// plain is a scalar without quotes, which goes on in the lines that are further in.
func (p *blockParser) plain(indent int, text []byte) bool {
	if !isPlainStart(text) {
		return false
	}
	p.scalar.Reset()
	for {
		if bytes.Contains(text, []byte(": ")) || bytes.Contains(text, []byte(" #")) || text[len(text)-1] == ':' {
			return false
		}
		p.scalar.Write(text)
		if !p.advance() {
			return false
		}
		if p.content == nil || p.indent <= indent {
			break
		}
		p.scalar.WriteByte(' ')
		text = p.content
	}
	switch value := p.scalar.Bytes(); {
	case string(value) == "true", string(value) == "false", string(value) == "null", isSmallNumber(value):
		p.out.Write(value)
	default:
		return writeScalar(p.out, &yaml.Node{Kind: yaml.ScalarNode, Value: string(value)}) == nil
	}
	return true
}

// isSmallNumber reports whether a number is the same in YAML and JSON, as it is written.
func isSmallNumber(text []byte) bool {
	return len(text) < 16 && len(bytes.Trim(text, "0123456789")) == 0 && (text[0] != '0' || len(text) == 1)
}

// quoted is a scalar in quotes, which goes on in the next lines until the closing quote.
func (p *blockParser) quoted(indent int, text []byte) bool {
	quote := text[0]
	text = text[1:]
	p.scalar.Reset()
	for {
		end := closingQuote(text, quote)
		if end == len(text)-1 && end >= 0 {
			p.scalar.Write(text[:end])
			break
		}
		if end >= 0 || end == badEscape {
			return false
		}
		p.scalar.Write(text)
		p.scalar.WriteByte(' ')
		if !p.advance() || p.content == nil || p.indent <= indent {
			return false
		}
		text = p.content
	}
	if quote == '\'' {
		writeText(p.out, string(bytes.ReplaceAll(p.scalar.Bytes(), []byte("''"), []byte("'"))))
	} else { // its escapes are those of JSON
		p.out.WriteByte('"')
		p.out.Write(p.scalar.Bytes())
		p.out.WriteByte('"')
	}
	return p.advance() && (p.content == nil || p.indent <= indent)
}

// What closingQuote returns where there is none.
const (
	noQuote   = -1
	badEscape = -2
)

// closingQuote is where a scalar ends in a line.
func closingQuote(text []byte, quote byte) int {
	for i := 0; i < len(text); i++ {
		switch {
		case quote == '"' && text[i] == '\\':
			if i++; i == len(text) || bytes.IndexByte([]byte(`"\/bfnrt`), text[i]) < 0 {
				return badEscape
			}
		case text[i] != quote:
		case quote == '\'' && i+1 < len(text) && text[i+1] == quote:
			i++
		default:
			return i
		}
	}
	return noQuote
}

// literal is a text of several lines as they are.
func (p *blockParser) literal(indent int, header string) bool {
	if header != "|" && header != "|-" {
		return false
	}
	p.scalar.Reset()
	within, blank := -1, 0
	for {
		line, rest, ended := bytes.Cut(p.rest, []byte{'\n'})
		spaces := len(line) - len(bytes.TrimLeft(line, " "))
		if !ended && len(line) > 0 || spaces > 0 && spaces == len(line) || within < 0 && spaces <= indent {
			return false
		}
		if len(line) > 0 && spaces <= indent || !ended {
			break
		}
		p.rest = rest
		if len(line) == 0 {
			blank++
			continue
		}
		if within < 0 {
			within = spaces
		}
		if spaces < within || line[within] == '\t' {
			return false
		}
		for ; blank > 0; blank-- {
			p.scalar.WriteByte('\n')
		}
		p.scalar.Write(line[within:])
		p.scalar.WriteByte('\n')
	}
	text := p.scalar.Bytes()
	if header == "|-" {
		text = text[:len(text)-1]
	}
	writeText(p.out, string(text))
	return p.advance()
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
	if isPlainASCII(text) {
		out.WriteByte('"')
		out.WriteString(text)
		out.WriteByte('"')
		return
	}
	quoted, _ := json.Marshal(text) // a text can always be written
	out.Write(quoted)
}

// isPlainASCII reports whether a text is the same in JSON.
func isPlainASCII(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
