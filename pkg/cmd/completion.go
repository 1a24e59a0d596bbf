package cmd

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/tools/clientcmd/api"
)

// completeFunc completes an argument or a flag.
type completeFunc = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// completeFlags completes the connection flags.
func (p Program) completeFlags(root *cobra.Command, flags *genericclioptions.ConfigFlags) {
	registerCompletion(root, "namespace", func(c *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		return p.newTypeCompleter(c, flags).names("", "namespaces", word), cobra.ShellCompDirectiveNoFileComp
	})
	for flag, names := range map[string]func(api.Config) []string{
		"context": func(c api.Config) []string { return slices.Sorted(maps.Keys(c.Contexts)) },
		"cluster": func(c api.Config) []string { return slices.Sorted(maps.Keys(c.Clusters)) },
		"user":    func(c api.Config) []string { return slices.Sorted(maps.Keys(c.AuthInfos)) },
	} {
		registerCompletion(root, flag, func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
			config, err := flags.ToRawKubeConfigLoader().RawConfig()
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			plain := slices.DeleteFunc(names(config), func(name string) bool { return !isPlainWord(name) })
			return withPrefix(word, plain), cobra.ShellCompDirectiveNoFileComp
		})
	}
}

// completeValues completes a flag with fixed values.
func completeValues(c *cobra.Command, flag string, values ...string) {
	registerCompletion(c, flag, func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		return withPrefix(word, values), cobra.ShellCompDirectiveNoFileComp
	})
}

func withPrefix(word string, all []string) []string {
	var out []string
	for _, value := range all {
		if strings.HasPrefix(value, word) {
			out = append(out, value)
		}
	}
	return out
}

// registerCompletion can fail only for a flag that does not exist, which is a bug, whatever
// the user types.
func registerCompletion(c *cobra.Command, flag string, f completeFunc) {
	if err := c.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err)
	}
}
