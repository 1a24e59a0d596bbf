package apitext

import "regexp"

// maxValueLength is up to how many characters a value is quoted in a validation error.
const maxValueLength = 60

// valueStart finds where a validation error writes out a structured value: as JSON or in the
// syntax of Go (k8s.io/apimachinery/pkg/util/validation/field/errors.go), or the differences of
// two (kubernetes/pkg/apis/core/validation, ValidatePodUpdate).
var valueStart = regexp.MustCompile(`(?:Invalid value: [A-Za-z0-9_.*&\[\]]*|\bcore\.[A-Za-z]+)([{\[])`)

// WithoutValues is a validation error without the long values in it, which can be whole
// templates: what is wrong stands behind them.
func WithoutValues(message string) string {
	out, rest := "", message
	for {
		m := valueStart.FindStringSubmatchIndex(rest)
		if m == nil {
			return out + rest
		}
		start := m[2]
		end := start + valueLength(rest[start:])
		if end-start <= maxValueLength {
			out += rest[:end]
		} else {
			out += rest[:start] + "{...}"
		}
		rest = rest[end:]
	}
}

// valueLength is the length of the value that a text begins with, up to the bracket that
// closes it, or all of the text where none does.
func valueLength(text string) int {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			depth++
		case c == '}', c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}
