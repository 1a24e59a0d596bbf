package cmd

import (
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
	"k8s.io/kubectl/pkg/util/completion"
)

// completeFunc offers words for an argument or a flag.
type completeFunc = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// completeTypes offers types and names as kubectl does.
func completeTypes(flags *genericclioptions.ConfigFlags) completeFunc {
	return asking(flags, completion.ResourceTypeAndNameCompletionFunc)
}

// completeFlags offers the words of the connection flags.
func completeFlags(root *cobra.Command, flags *genericclioptions.ConfigFlags) {
	register(root, "namespace", asking(flags, func(f cmdutil.Factory) completeFunc {
		return func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
			return completion.CompGetResource(f, "namespace", word), cobra.ShellCompDirectiveNoFileComp
		}
	}))
	for flag, words := range map[string]completeFunc{
		"context": completion.ContextCompletionFunc, "cluster": completion.ClusterCompletionFunc, "user": completion.UserCompletionFunc,
	} {
		register(root, flag, asking(flags, func(cmdutil.Factory) completeFunc { return words }))
	}
}

// asking hands kubectl's completion the flags of the command line. It keeps
// them in a variable of its own, without which it panics.
func asking(flags *genericclioptions.ConfigFlags, words func(cmdutil.Factory) completeFunc) completeFunc {
	return func(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		f := cmdutil.NewFactory(cmdutil.NewMatchVersionFlags(flags))
		completion.SetFactoryForCompletion(f)
		return words(f)(c, args, word)
	}
}

// completeValues offers fixed words for a flag.
func completeValues(c *cobra.Command, flag string, values ...string) {
	register(c, flag, func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		var out []string
		for _, v := range values {
			if strings.HasPrefix(v, word) {
				out = append(out, v)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	})
}

// register cannot fail but for a flag that does not exist, which no input of a
// user can bring about.
func register(c *cobra.Command, flag string, f completeFunc) {
	if err := c.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err)
	}
}
