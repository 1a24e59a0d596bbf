package cmd

import (
	"strings"

	"github.com/spf13/cobra"
)

// completeFinalizers offers the names that the catalog knows, for the first
// argument.
func (p Program) completeFinalizers(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return p.completeFinalizer(c, args, word)
}

// completeFinalizer offers the names that the catalog knows.
func (p Program) completeFinalizer(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	known, err := p.Catalog()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return withPrefix(word, known.Names()), cobra.ShellCompDirectiveNoFileComp
}

// completeTypesOf offers the types that are known to have the finalizer.
func (p Program) completeTypesOf(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) != 1 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	known, err := p.Catalog()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var types []string
	for _, entry := range lookupFinalizer(known, args[0], "").Entries {
		for _, t := range entry.Types {
			if !strings.Contains(string(t), "*") {
				types = append(types, string(t))
			}
		}
	}
	return withPrefix(word, types), cobra.ShellCompDirectiveNoFileComp
}
