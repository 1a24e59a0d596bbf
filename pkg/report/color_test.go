package report_test

import (
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
)

func TestColorWriter(t *testing.T) {
	for name, test := range map[string]struct {
		parts []string
		want  string
	}{
		"a cell":             {[]string{"pod/a   Blocked   x\n"}, "pod/a   \x1b[31mBlocked\x1b[0m   x\n"},
		"the last cell":      {[]string{"pod/a   Progressing\n"}, "pod/a   \x1b[32mProgressing\x1b[0m\n"},
		"the first cell":     {[]string{"PROBLEM  webhook\n"}, "\x1b[31mPROBLEM\x1b[0m  webhook\n"},
		"every line":         {[]string{"a   OK\nb   OK\n"}, "a   \x1b[32mOK\x1b[0m\nb   \x1b[32mOK\x1b[0m\n"},
		"in parts":           {[]string{"a   Blo", "cked ", "  x\nb"}, "a   \x1b[31mBlocked\x1b[0m   x\nb"},
		"without an end":     {[]string{"a   OK"}, "a   \x1b[32mOK\x1b[0m"},
		"a word in a text":   {[]string{"Blocked by a webhook, is Unknown to us\n"}, "Blocked by a webhook, is Unknown to us\n"},
		"a value in JSON":    {[]string{`  "verdict": "Blocked"` + "\n"}, `  "verdict": "Blocked"` + "\n"},
		"a value in YAML":    {[]string{"verdict: Blocked\n"}, "verdict: Blocked\n"},
		"a part of a word":   {[]string{"a   BlockedUp   OKAY\n"}, "a   BlockedUp   OKAY\n"},
		"a name in a column": {[]string{"pod/OK   x\n"}, "pod/OK   x\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var plain, colored strings.Builder
			for out, enabled := range map[*strings.Builder]bool{&plain: false, &colored: true} {
				w := report.NewColorWriter(out)
				w.Enabled = enabled
				for _, part := range test.parts {
					if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
						t.Errorf("%d of %d bytes are written: %v", n, len(part), err)
					}
				}
				if err := w.Flush(); err != nil {
					t.Error(err)
				}
			}
			if got := colored.String(); got != test.want {
				t.Errorf("it is %q", got)
			}
			if got := plain.String(); got != strings.Join(test.parts, "") {
				t.Errorf("without colors it is %q", got)
			}
		})
	}
}
