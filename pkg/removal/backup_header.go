package removal

import (
	"fmt"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// backupHeader is what a saved copy says of itself, in comments before the object,
// which leaves the file one that kubectl reads too.
type backupHeader struct {
	Server  string
	UID     string
	Omitted string
}

// The words before each.
const (
	headerServer     = "# saved from: "
	headerClusterUID = "# uid of kube-system: "
	headerOmitted    = "# not saved: "
)

func (h backupHeader) bytes() []byte {
	var b strings.Builder
	for _, line := range []struct{ word, text string }{{headerServer, h.Server}, {headerClusterUID, h.UID}, {headerOmitted, h.Omitted}} {
		if line.text != "" {
			fmt.Fprintf(&b, "%s%s\n", line.word, stuck.EscapeLine(line.text)) // a uid is what the API server says
		}
	}
	return []byte(b.String())
}

// parseBackupHeader reads what a saved copy says of itself.
func parseBackupHeader(content []byte) backupHeader {
	var h backupHeader
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "#") {
			break
		}
		for prefix, field := range map[string]*string{headerServer: &h.Server, headerClusterUID: &h.UID, headerOmitted: &h.Omitted} {
			if text, ok := strings.CutPrefix(line, prefix); ok {
				*field = text
			}
		}
	}
	return h
}
