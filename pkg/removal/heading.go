package removal

import (
	"fmt"
	"strings"
)

// heading is what a saved copy says of itself, in comments before the object,
// which leaves the file one that kubectl reads too.
type heading struct {
	Server  string
	UID     string
	Omitted string
}

// The words before each.
const (
	savedFrom  = "# saved from: "
	kubeSystem = "# uid of kube-system: "
	notSaved   = "# not saved: "
)

func (h heading) bytes() []byte {
	var b strings.Builder
	for _, line := range []struct{ word, text string }{{savedFrom, h.Server}, {kubeSystem, h.UID}, {notSaved, h.Omitted}} {
		if line.text != "" {
			fmt.Fprintf(&b, "%s%s\n", line.word, line.text)
		}
	}
	return []byte(b.String())
}

// headingOf reads what a saved copy says of itself.
func headingOf(content []byte) heading {
	var h heading
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "#") {
			break
		}
		for word, field := range map[string]*string{savedFrom: &h.Server, kubeSystem: &h.UID, notSaved: &h.Omitted} {
			if text, ok := strings.CutPrefix(line, word); ok {
				*field = text
			}
		}
	}
	return h
}
