package report

import "testing"

func TestReplaceName(t *testing.T) {
	for text, want := range map[string]string{
		"no controller is left for a.b/c":       "no controller is left for ALL",
		"a.b/c, a.b/cd, xa.b/c, a.b/c.d, a.b/c": "ALL, a.b/cd, xa.b/c, a.b/c.d, ALL",
		"the end is a.b/c.":                     "the end is ALL.",
		"a.b/c/d a.b/c-d -a.b/c (a.b/c)":        "a.b/c/d a.b/c-d -a.b/c (ALL)",
		"a.b/ca.b/c":                            "a.b/ca.b/c",
		"":                                      "",
	} {
		if got := replaceName(text, "a.b/c", "ALL"); got != want {
			t.Errorf("%q becomes %q, not %q", text, got, want)
		}
	}
}
