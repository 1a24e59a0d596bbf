package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// passage is text that a person reads, from a line of a file on.
type passage struct {
	text string
	line int
	// flat says that a line break in the text is none in the file.
	flat bool
}

// passages are what a person reads of a file: all of it, or the comments and strings of Go code.
func passages(name string, content []byte) ([]passage, error) {
	if path.Ext(name) != ".go" {
		return []passage{{text: string(content), line: 1}}, nil
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, content, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var found []passage
	for _, group := range file.Comments {
		start, end := files.Position(group.Pos()), files.Position(group.End())
		found = append(found, passage{text: string(content[start.Offset:end.Offset]), line: start.Line})
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field: // a tag holds names of fields
			return n.Tag == nil
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				found = append(found, literal(n, files.Position(n.Pos()).Line))
			}
		}
		return true
	})
	return found, nil
}

func literal(n *ast.BasicLit, line int) passage {
	text, err := strconv.Unquote(n.Value)
	if err != nil { // the parser has taken it
		text = n.Value
	}
	return passage{text: text, line: line, flat: !strings.HasPrefix(n.Value, "`")}
}

// finding is a phrase to replace.
type finding struct {
	line   int
	phrase string
	say    string
}

// check finds the phrases to replace in a passage.
func (p passage) check(rules []rule) []finding {
	var found []finding
	for _, r := range rules {
		for _, at := range r.phrase.FindAllStringSubmatchIndex(p.text, -1) {
			start, end := at[2], at[3]
			if r.unless != nil && r.unless.MatchString(p.text[max(0, start-contextSize):min(len(p.text), end+contextSize)]) {
				continue
			}
			line := p.line
			if !p.flat {
				line += strings.Count(p.text[:start], "\n")
			}
			found = append(found, finding{line: line, phrase: oneLine(p.text[start:end]), say: r.say})
		}
	}
	return found
}

// contextSize is how far around a match its exception is looked for.
const contextSize = 30

// oneLine is a phrase without the line breaks in it, and what begins a line of a comment.
func oneLine(phrase string) string {
	words := slices.DeleteFunc(strings.Fields(phrase), func(word string) bool { return strings.Trim(word, "/#>") == "" })
	return strings.Join(words, " ")
}
