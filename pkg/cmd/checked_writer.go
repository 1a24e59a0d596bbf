package cmd

import (
	"fmt"
	"io"
	"sync"
)

// checkedWriter passes text on, and remembers whether some was lost: printing is
// not checked where it is done. It may be used by several at a time.
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

// withLostOutput is how a command ended, or that its output was lost, which is
// worse: what was not printed may have been the answer.
func withLostOutput(err error, lost ...error) error {
	for _, e := range lost {
		if e != nil {
			return fmt.Errorf("printing the output, of which a part is lost: %w", e)
		}
	}
	return err
}
