package cmd

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commandLine is a command line as it was given, without what makes it a dry
// run, what confirms it, and what is nobody's business.
func commandLine(c *cobra.Command, args []string) string {
	words := []string{c.CommandPath()}
	for _, arg := range args {
		words = append(words, shellQuote(arg))
	}
	c.Flags().Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "dry-run", "output", "yes", "confirm", "token", "password":
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
				words = append(words, "--"+f.Name+"="+shellQuote(value))
			}
		}
	})
	return strings.Join(words, " ")
}

// shellQuote is a word as a shell takes it.
func shellQuote(word string) string {
	if regexp.MustCompile(`^[A-Za-z0-9_./:=@%+,-]+$`).MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
