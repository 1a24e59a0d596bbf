package cmd

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// commandLine is a command line as it was given, without the flags for dry runs,
// confirmation, output and credentials.
func commandLine(c *cobra.Command, args []string) string {
	words := []string{c.CommandPath()}
	for _, arg := range args {
		words = append(words, stuck.ShellQuote(arg))
	}
	return strings.Join(append(words, flagWords(c.Flags())...), " ")
}

// flagWords are the flags that were given, as words of a command line.
func flagWords(flags *pflag.FlagSet) (words []string) {
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Changed {
			return
		}
		switch f.Name {
		case "dry-run", "output", "yes", "confirm", "token", "password", "v", "color":
			return
		}
		values := []string{f.Value.String()}
		if many, ok := f.Value.(pflag.SliceValue); ok {
			values = many.GetSlice()
		}
		for _, value := range values {
			if f.NoOptDefVal == value {
				words = append(words, "--"+f.Name)
			} else {
				words = append(words, "--"+f.Name+"="+stuck.ShellQuote(value))
			}
		}
	})
	return words
}
