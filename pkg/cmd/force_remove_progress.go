package cmd

import (
	"fmt"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// unlimitedTimeout is how long kubectl delete waits when its timeout is 0
// (k8s.io/kubectl/pkg/cmd/delete/delete.go).
const unlimitedTimeout = 168 * time.Hour

// dryRuns is show for the dry runs of a removal.
func (p *progress) dryRuns(done, total int) {
	if p.out != nil {
		fmt.Fprintf(p.out, "\r%d of %d sent as a dry run\x1b[K", done, total)
	}
}

// waiting says what is waited for.
func (p *progress) waiting(left []stuck.Object) {
	switch {
	case p.out == nil:
	case len(left) == 1:
		fmt.Fprintf(p.out, "\rwaiting for %s to be deleted\x1b[K", left[0].Ref())
	default:
		fmt.Fprintf(p.out, "\rwaiting for %d objects to be deleted\x1b[K", len(left))
	}
}
