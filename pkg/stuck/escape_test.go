package stuck_test

import (
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func TestEscapeLine(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"plain text":                {"role/reader -n shop", "role/reader -n shop"},
		"other scripts":             {"größer als 漢字 🙂", "größer als 漢字 🙂"},
		"a line break":              {"role/a\nall is well", `role/a\u000aall is well`},
		"a tab":                     {"reader\t3d\tBlocked", `reader\u00093d\u0009Blocked`},
		"line separators":           {"a\u2028b\u2029c\u0085d", `a\u2028b\u2029c\u0085d`},
		"spaces and fillers":        {"a\u00a0b\u3164c\u2800d\u3000e", `a\u00a0b\u3164c\u2800d\u3000e`},
		"an escape sequence":        {"\x1b[2J", `\u001b[2J`},
		"text from right to left":   {"a\u202eb", `a\u202eb`},
		"what is not UTF-8":         {"a\x9bb", `a\x9bb`},
		"what was escaped already":  {`a\u000ab`, `a\u000ab`},
		"a character far beyond":    {"a\U000e0061", `a\udb40\udc61`},
		"nothing":                   {"", ""},
		"a line break at its end":   {"a\n", `a\u000a`},
		"spaces at its beginning":   {"  a", "  a"},
		"a carriage return, a bell": {"a\r\a", `a\u000d\u0007`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := stuck.EscapeLine(test.text); got != test.want {
				t.Errorf("%q becomes %q, not %q", test.text, got, test.want)
			}
		})
	}
}
