package cmd

import (
	"fmt"
	"time"
)

// aWeek is how long kubectl delete waits when its timeout is 0
// (k8s.io/kubectl/pkg/cmd/delete/delete.go).
const aWeek = 168 * time.Hour

// tried is show for the dry runs of a removal.
func (p *progress) tried(done, total int) {
	if p.out != nil {
		fmt.Fprintf(p.out, "\r%d of %d tried as a dry run\x1b[K", done, total)
	}
}

// waits says how many objects are waited for.
func (p *progress) waits(left int) {
	if p.out != nil {
		fmt.Fprintf(p.out, "\rwaiting for %d to be gone\x1b[K", left)
	}
}
