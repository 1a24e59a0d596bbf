package cmd

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// colorModes are the values of --color.
func colorModes() []string { return []string{"auto", "always", "never"} }

// addColor adds the flag for colors, and returns its value.
func addColor(root *cobra.Command) *string {
	mode := root.PersistentFlags().String("color", "auto", "Color verdicts and results. One of: (auto, always, never). auto colors at a terminal, unless NO_COLOR is set or TERM is dumb.")
	completeValues(root, "color", colorModes()...)
	return mode
}

// useColor reports whether output is to be colored.
func useColor(mode string, isTerminal bool) (bool, error) {
	switch {
	case !slices.Contains(colorModes(), mode):
		return false, fmt.Errorf("reading --color: %q is none of: %s", mode, strings.Join(colorModes(), ", "))
	case mode == "auto": // https://no-color.org
		return isTerminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb", nil
	}
	return mode == "always", nil
}
