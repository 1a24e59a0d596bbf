package cmd

import (
	"context"
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
)

// announceInterrupt says, once the user interrupts while writes are under way,
// why the program does not end at once. It is stopped when the writes are over.
func (p Program) announceInterrupt(ctx context.Context, w *removal.Writer) (stop func() bool) {
	return context.AfterFunc(ctx, func() {
		if w.Busy() {
			fmt.Fprintln(p.Streams.ErrOut, "finishing what has begun; press ^C again to end at once")
		}
	})
}
