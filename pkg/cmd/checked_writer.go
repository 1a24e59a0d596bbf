package cmd

import (
	"fmt"
	"io"
	"sync"
)

// checkedWriter passes text on, and keeps the first error, which the callers that print do
// not check. It is safe for concurrent use.
type checkedWriter struct {
	mu  sync.Mutex
	out io.Writer
	err error
}

func (w *checkedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, err := w.out.Write(p)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

func (w *checkedWriter) lost() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// withLostOutput returns the error of a command, or the first error of its output, which is
// worse: the part that was not printed may be the answer.
func withLostOutput(err error, lost ...error) error {
	for _, e := range lost {
		if e != nil {
			return fmt.Errorf("printing the output, of which a part is lost: %w", e)
		}
	}
	return err
}
