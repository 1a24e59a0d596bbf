package cmd

import (
	"io"

	"k8s.io/kubectl/pkg/util/term"
)

// terminalWidth is how many columns a terminal has, 0 for what is no terminal.
func terminalWidth(out io.Writer) int {
	size := term.TTY{Out: out}.GetSize()
	if size == nil {
		return 0
	}
	return int(size.Width)
}
