package cmd

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/find"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// completionTime is how long a user waits for a word at most. What was read by then is offered.
const completionTime = 3 * time.Second

// completeListed offers the finalizers of the objects that list looks at, and those of the
// catalog where none of them begins with the word, or a dump is read.
func (p Program) completeListed(flags *genericclioptions.ConfigFlags, f *listFlags) completeFunc {
	return func(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if f.from.path == "" {
			if names := p.newTypeCompleter(c, flags).finalizers(flags, f.allNamespaces, args, word); len(names) > 0 {
				return names, cobra.ShellCompDirectiveNoFileComp
			}
		}
		return p.completeFinalizer(c, args, word)
	}
}

// completeRemoved offers the finalizers of the objects that the command line names.
func (p Program) completeRemoved(flags *genericclioptions.ConfigFlags) completeFunc {
	return func(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return p.newTypeCompleter(c, flags).finalizers(flags, false, args, word), cobra.ShellCompDirectiveNoFileComp
	}
}

// finalizers are those that the word begins, of the objects that the arguments name, or of
// all in the namespace without arguments. What is in a namespace that is named counts too.
func (a typeCompleter) finalizers(flags *genericclioptions.ConfigFlags, allNamespaces bool, args []string, word string) []string {
	namespace, err := namespaceOf(flags)
	targets, argsErr := parseTargets(a.served, args)
	if err != nil || argsErr != nil || a.source == nil {
		return nil
	}
	if allNamespaces {
		namespace = ""
	}
	ctx, cancel := context.WithTimeout(a.command.Context(), completionTime)
	defer cancel()
	var seen finalizerNames
	survey := func(types []stuck.Type, selection cluster.Selection) {
		// The error is that the time is over.
		_, _ = cluster.SurveyRequest{Types: types, Selection: selection, Keep: func(o stuck.Object) bool { seen.add(o); return false }}.Run(ctx, a.source)
	}
	for _, t := range targets {
		survey([]stuck.Type{t.Type}, cluster.Selection{Namespace: namespace, Name: t.Name})
		if t.Type.GroupKind() == find.NamespaceKind && t.Name != "" {
			survey(cluster.SurveyedTypes(a.served.types, t.Name), cluster.Selection{Namespace: t.Name})
		}
	}
	if len(targets) == 0 {
		survey(cluster.SurveyedTypes(a.served.types, namespace), cluster.Selection{Namespace: namespace})
	}
	return slices.DeleteFunc(withPrefix(word, seen.sorted()), func(name string) bool { return !isPlainWord(name) })
}
