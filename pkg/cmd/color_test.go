package cmd

import (
	"strings"
	"testing"
)

func TestUseColor(t *testing.T) {
	for name, test := range map[string]struct {
		mode, noColor, term string
		isTerminal, want    bool
	}{
		"a terminal":              {mode: "auto", term: "xterm", isTerminal: true, want: true},
		"no terminal":             {mode: "auto", term: "xterm"},
		"NO_COLOR":                {mode: "auto", term: "xterm", noColor: "1", isTerminal: true},
		"a terminal without any":  {mode: "auto", term: "dumb", isTerminal: true},
		"never":                   {mode: "never", term: "xterm", isTerminal: true},
		"always":                  {mode: "always", term: "dumb", want: true},
		"always, before NO_COLOR": {mode: "always", noColor: "1", want: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("NO_COLOR", test.noColor)
			t.Setenv("TERM", test.term)
			if got, err := useColor(test.mode, test.isTerminal); got != test.want || err != nil {
				t.Errorf("it is %v, %v", got, err)
			}
		})
	}
}

// Colors change nothing else: without them, the screen is the same.
func TestColorsOfList(t *testing.T) {
	screen := func(args ...string) string {
		_, out, _ := run(t, "node-does-not-answer", nil, append([]string{"list", "-n", "sensors"}, args...)...)
		return out
	}
	plain, colored := screen(), screen("--color=always")
	if !strings.Contains(colored, "\x1b[31mBlocked\x1b[0m") {
		t.Errorf("the verdict has no color: %q", colored)
	}
	if got := strings.NewReplacer("\x1b[31m", "", "\x1b[0m", "").Replace(colored); got != plain {
		t.Errorf("with colors:\n%s\nwithout:\n%s", got, plain)
	}
	if json := screen("--color=always", "-o", "json"); strings.Contains(json, "\x1b") {
		t.Errorf("a document has colors:\n%s", json)
	}
}
