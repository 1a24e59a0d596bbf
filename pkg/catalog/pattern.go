package catalog

import (
	"fmt"
	"strings"
)

// Pattern is a finalizer's whole name with placeholders, such as <kind>.ceph.rook.io. A placeholder takes one or
// more characters but no slash; one whose name begins with kind, plural or word takes no dot either.
type Pattern string

// segment is a literal or a placeholder of a pattern.
type segment struct {
	text  string
	param bool
}

// compiledPattern is a pattern ready to be matched.
type compiledPattern struct {
	segments []segment
	literal  int
}

// compile checks a pattern and takes it to pieces.
func (p Pattern) compile() (compiledPattern, error) {
	var c compiledPattern
	rest := string(p)
	for rest != "" {
		before, after, found := strings.Cut(rest, "<")
		if before != "" {
			c.segments = append(c.segments, segment{text: before})
			c.literal += len(before)
		}
		if !found {
			break
		}
		name, tail, closed := strings.Cut(after, ">")
		if !closed || name == "" || strings.ContainsAny(name, " <{}") {
			return compiledPattern{}, fmt.Errorf("pattern %q has a placeholder that is not <name>", p)
		}
		if before == "" && len(c.segments) > 0 {
			return compiledPattern{}, fmt.Errorf("pattern %q has two placeholders with nothing between them", p)
		}
		c.segments = append(c.segments, segment{text: name, param: true})
		rest = tail
	}
	if c.literal == 0 || c.literal == len(p) {
		return compiledPattern{}, fmt.Errorf("pattern %q must hold both text and a <placeholder>", p)
	}
	return c, nil
}

// match returns what the placeholders took when the pattern takes the whole name.
func (c compiledPattern) match(name string) (map[string]string, bool) {
	values := map[string]string{}
	if !matchSegments(c.segments, name, values) {
		return nil, false
	}
	return values, true
}

func matchSegments(pieces []segment, name string, values map[string]string) bool {
	if len(pieces) == 0 {
		return name == ""
	}
	first := pieces[0]
	if !first.param {
		rest, ok := strings.CutPrefix(name, first.text)
		return ok && matchSegments(pieces[1:], rest, values)
	}
	// The shortest value first: a pattern has few placeholders, so trying on is cheap.
	for end := 1; end <= len(name) && first.accepts(name[end-1]); end++ {
		if matchSegments(pieces[1:], name[end:], values) {
			values[first.text] = name[:end]
			return true
		}
	}
	return false
}

// accepts reports whether a placeholder takes a character.
func (p segment) accepts(char byte) bool {
	if char == '/' {
		return false
	}
	if char != '.' {
		return true
	}
	for _, dotless := range []string{"kind", "plural", "word", "Kind"} {
		if strings.HasPrefix(p.text, dotless) {
			return false
		}
	}
	return true
}

// prefix and suffix are the literal text that a matching name must begin and end with.
func (c compiledPattern) prefix() string {
	if c.segments[0].param {
		return ""
	}
	return c.segments[0].text
}

func (c compiledPattern) suffix() string {
	last := c.segments[len(c.segments)-1]
	if last.param {
		return ""
	}
	return last.text
}

// hasDomain reports whether the literal text holds a domain, so that the name identifies its controller.
func (c compiledPattern) hasDomain() bool {
	for _, p := range c.segments {
		if !p.param && strings.Contains(p.text, ".") {
			return true
		}
	}
	return false
}
