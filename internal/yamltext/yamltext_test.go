package yamltext_test

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"sigs.k8s.io/yaml"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/yamltext"
)

// TestEveryCharacterSurvives writes every character of Unicode and reads it back, alone, in a key, and in a text of
// several lines.
func TestEveryCharacterSurvives(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) || r > 0x3000 && r < 0xfb00 || r > 0xffff && r&0xffff > 0x200 && r&0xffff < 0xfff0 {
			continue // letters of one kind; those at the edges stand for them
		}
		text := string(r)
		wantSurvival(t, map[string]any{"alone": text, "within": "a" + text + "b", "lines": "a\n" + text + "\n b\n", "key" + text: "x"})
	}
}

// TestEveryNumberSurvives holds that whole numbers stay whole.
func TestEveryNumberSurvives(t *testing.T) {
	wantSurvival(t, map[string]any{
		"max": int64(math.MaxInt64), "min": int64(math.MinInt64), "odd": int64(1<<53 + 1), "list": []any{int64(1<<53 + 1), -1.5, 1e300, 5e-324},
	})
	object, err := yamltext.Unmarshal([]byte("big: 9007199254740993\n"))
	if n, ok := object["big"].(int64); err != nil || !ok || n != 9007199254740993 {
		t.Errorf("read %v (%v)", object, err)
	}
}

// TestWordsSurvive holds that no string becomes anything else.
func TestWordsSurvive(t *testing.T) {
	for _, text := range []string{
		"", " ", "yes", "null", "~", "0x1f", "1e3", "1_000", "12:30:45", "2026-01-01", ".inf", "!!binary x", "&a", "*a", "<<", "---", "...", "# x",
		"a: b", "- a", "=", "n", "on", "010", "0o7", "0b1", "+1", ".5", "1.", "1:30", "2001-12-14t21:59:43.10-05:00", "?", "? a", "%a", "@a", "`a", "|", ">", "!", "a #b", "{", "[", "'", `"`, "\\u0085", "\t", "a \n b", "\n\n", "a\n", strings.Repeat("long ", 500), strings.Repeat("x", 5000),
	} {
		wantSurvival(t, map[string]any{"text": text, "list": []any{text}, "lines": text + "\n" + text})
		wantSurvival(t, map[string]any{text: "x"})
	}
	wantSurvival(t, map[string]any{strings.Repeat("key", 1000): "\u2028"})
}

func wantSurvival(t *testing.T, object map[string]any) {
	t.Helper()
	text, err := yamltext.Marshal(object)
	if err != nil {
		t.Errorf("%q: %v", object, err)
		return
	}
	got, err := yamltext.Unmarshal(text)
	if err != nil || !yamltext.Equal(got, object) {
		t.Errorf("%q is read as %q (%v) from\n%s", object, got, err, text)
	}
	if err := yaml.Unmarshal(text, &map[string]any{}); err != nil && len(text) < 1000 { // YAML knows no longer key
		t.Errorf("other programs cannot read it: %v\n%s", err, text)
	}
	if bytes.ContainsAny(text, "\x00\x07\x1b\x7f\u0085\u009b\u202e\u2028\ufeff") {
		t.Errorf("a terminal would act on\n%q", text)
	}
}

// TestUnmarshalRefuses holds that nothing of a file is passed over in silence.
func TestUnmarshalRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1\n---\nb: 2\n":         "several documents",
		"{\"a\": 1}\n---\nb: 2\n":   "several documents",
		"a: 1\n...\n---\n{b: 2}\n":  "several documents",
		"a: 1\na: 2\n":              "already",
		"{\"a\": 1, \"a\": 2}":      `duplicate field "a"`,
		"{\"a\": 1} {\"b\": 2}":     "did not find expected",
		"- a\n":                     "cannot unmarshal",
		"a: [":                      "did not find expected",
		"a: &a [x]\nb: *c\n":        "unknown anchor",
		"a: \"\x1b\"\n":             "control characters",
		"a: !!python/object x\nb: ": "",
	} {
		_, err := yamltext.Unmarshal([]byte(text))
		if want == "" && err == nil {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := yamltext.Unmarshal([]byte("---\n# a comment\na: 1\n---\n")); err != nil {
		t.Errorf("one document between two lines of dashes: %v", err)
	}
}

// FuzzUnmarshal holds that what can be read of a file that somebody else wrote can be written and read again unchanged.
func FuzzUnmarshal(f *testing.F) {
	for _, seed := range []string{"a: 1\n", "a: &x [b]\nc: *x\n", `{"a":{"b":9007199254740993}}`, "a: 2026-01-01\n", "? a\n: b\n", "a: !!binary eA==\n", "1: x\n", "a: .inf\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		object, err := yamltext.Unmarshal(text)
		if err == nil {
			wantSurvival(t, object)
		}
	})
}
