package cmd

import (
	"context"
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
)

// announceInterrupt prints why the program does not end at once when the user interrupts
// it during writes. The caller stops it when the writes have ended.
func (p Program) announceInterrupt(ctx context.Context, w *removal.Writer) (stop func() bool) {
	return context.AfterFunc(ctx, func() {
		if w.Busy() {
			fmt.Fprintln(p.Streams.ErrOut, "interrupted: finishing the writes in progress; press ^C again to stop at once")
		}
	})
}
