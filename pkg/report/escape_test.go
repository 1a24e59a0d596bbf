package report

import (
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func TestScreenTakesTheTeethOutOfText(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"plain text":                      {text: "pod/web-0\t3h\nnothing else\n", want: "pod/web-0\t3h\nnothing else\n"},
		"other scripts":                   {text: "größer als ñandú 漢字 🙂", want: "größer als ñandú 漢字 🙂"},
		"an escape sequence":              {text: "\x1b[2Jall is well", want: `\u001b[2Jall is well`},
		"an escape in one character":      {text: "\u009b2J", want: `\u009b2J`},
		"that character, not as UTF-8":    {text: "a\x9b2Jb", want: `a\x9b2Jb`},
		"a return over the line":          {text: "bad\rgood", want: `bad\u000dgood`},
		"backspaces and bells":            {text: "x\b\a\x7f", want: `x\u0008\u0007\u007f`},
		"text from right to left":         {text: "nimda\u202edeteled", want: `nimda\u202edeteled`},
		"an isolate":                      {text: "\u2066a\u2069", want: `\u2066a\u2069`},
		"letters of no width":             {text: "ad\u200bmin\ufeff", want: `ad\u200bmin\ufeff`},
		"letters of no width, far beyond": {text: "a\U000e0061", want: `a\udb40\udc61`},
		"separators of lines":             {text: "a\u2028b\u2029c", want: `a\u2028b\u2029c`},
		"spaces that are none":            {text: "a\u00a0b\u3164c\u2800d\u3000e", want: "a\\u00a0b\\u3164c\\u2800d\u3000e"},
		"a replacement character":         {text: "a\ufffdb", want: "a\ufffdb"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			// Printers write as they please: in one go, and byte by byte.
			for _, size := range []int{len(test.text), 1, 2} {
				if got := escapedInChunks(t, test.text, size); got != test.want {
					t.Errorf("in pieces of %d it shows %q, not %q", size, got, test.want)
				}
			}
		})
	}
}

// escapedInChunks is what a screen shows of a text that is written in pieces.
func escapedInChunks(t *testing.T, text string, size int) string {
	t.Helper()
	var b strings.Builder
	out := EscapeWriter(&b)
	for text != "" {
		piece := text[:min(size, len(text))]
		text = text[len(piece):]
		if n, err := out.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Fatalf("of %d bytes %d were written: %v", len(piece), n, err)
		}
	}
	return b.String()
}

func TestScreenTellsThatItIsGone(t *testing.T) {
	r, w := io.Pipe()
	gone := errors.New("gone")
	r.CloseWithError(gone)
	if n, err := EscapeWriter(w).Write([]byte("text")); n != 0 || !errors.Is(err, gone) {
		t.Errorf("%d bytes were written: %v", n, err)
	}
}

func FuzzClean(f *testing.F) {
	for _, seed := range []string{"plain", "\x1b[0m", "\u202e", "\x9b", "é\xc3", "\U000e0061", "a\r\nb"} {
		f.Add(seed, 1)
	}
	f.Fuzz(func(t *testing.T, text string, cut int) {
		got := stuck.EscapeText(text)
		if !utf8.ValidString(got) {
			t.Errorf("%q becomes %q, which is not UTF-8", text, got)
		}
		if strings.ContainsFunc(got, stuck.IsUnsafe) {
			t.Errorf("%q becomes %q, which still has teeth", text, got)
		}
		if again := stuck.EscapeText(got); again != got {
			t.Errorf("%q becomes %q when it is cleaned again", got, again)
		}
		if strings.Count(got, "\n") != strings.Count(text, "\n") {
			t.Errorf("%q becomes %q, of another number of lines", text, got)
		}
		// The end of a text may be the beginning of a character.
		if whole := text + "."; escapedInChunks(t, whole, 1+(cut&7)) != stuck.EscapeText(whole) {
			t.Errorf("in pieces %q shows %q, not %q", whole, escapedInChunks(t, whole, 1+(cut&7)), stuck.EscapeText(whole))
		}
	})
}
