package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// givenCommand is a command line as it was given, without the flags for dry runs,
// confirmation, output and credentials.
type givenCommand struct {
	words []string
	// names are the arguments that begin with a dash: they go behind "--".
	names []string
}

func newGivenCommand(c *cobra.Command, args []string) givenCommand {
	g := givenCommand{words: []string{c.CommandPath()}}
	for _, arg := range args {
		if strings.HasPrefix(arg, "-") {
			g.names = append(g.names, stuck.ShellQuote(arg))
		} else {
			g.words = append(g.words, stuck.ShellQuote(arg))
		}
	}
	g.words = append(g.words, flagWords(c.Flags())...)
	return g
}

// with is the command line with further flags. It is one line, whatever a name holds.
func (g givenCommand) with(flags ...string) string {
	words := slices.Concat(g.words, flags)
	if len(g.names) > 0 {
		words = append(append(words, "--"), g.names...)
	}
	return stuck.EscapeLine(strings.Join(words, " "))
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
