package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// completeTypes offers types and names where kubectl get does
// (k8s.io/kubectl/pkg/util/completion). kubectl's own code for it would bring
// along all of kubectl get, which is as large as everything here together.
func (p Program) completeTypes(flags *genericclioptions.ConfigFlags) completeFunc {
	return p.completeObjects(flags, func(stuck.Object) bool { return true })
}

// completeDeleting offers types, and of their objects those that are being deleted:
// no other is to be explained or freed, and the next key may be the one that runs
// the command.
func (p Program) completeDeleting(flags *genericclioptions.ConfigFlags) completeFunc {
	return p.completeObjects(flags, stuck.Object.Deleting)
}

// completeObjects offers types, and the objects of a type that are offered.
func (p Program) completeObjects(flags *genericclioptions.ConfigFlags, offered func(stuck.Object) bool) completeFunc {
	return func(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		completer := p.newTypeCompleter(c, flags)
		completer.offered = offered
		namespace, err := namespaceOf(flags)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		if all := c.Flags().Lookup("all-namespaces"); all != nil && all.Changed {
			namespace = ""
		}
		switch of, begun, slash := strings.Cut(word, "/"); {
		case len(args) > 0 && !strings.Contains(args[0], "/"):
			return exclude(completer.names(namespace, args[0], word), args[1:]), cobra.ShellCompDirectiveNoFileComp
		case slash:
			return exclude(addAffixes(of+"/", completer.names(namespace, of, begun), ""), args), cobra.ShellCompDirectiveNoFileComp
		case len(args) > 0:
			return addAffixes("", completer.types(word), "/"), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		}
		last := strings.LastIndex(word, ",") + 1
		return addAffixes(word[:last], completer.types(word[last:]), ""), cobra.ShellCompDirectiveNoFileComp
	}
}

func addAffixes(before string, words []string, after string) []string {
	for i, w := range words {
		words[i] = before + w + after
	}
	return words
}

// exclude leaves out what is on the command line already.
func exclude(words, given []string) []string {
	return slices.DeleteFunc(words, func(w string) bool { return slices.Contains(given, w) })
}

// typeCompleter answers from the cluster what a word could become. What cannot be
// read, it does not offer: there is nowhere to say so.
type typeCompleter struct {
	command *cobra.Command
	source  cluster.Source
	served  servedTypes
	// offered reports whether an object is offered by its name.
	offered func(stuck.Object) bool
}

func (p Program) newTypeCompleter(c *cobra.Command, flags *genericclioptions.ConfigFlags) typeCompleter {
	a := typeCompleter{command: c, offered: func(stuck.Object) bool { return true }}
	source, err := p.Connect(flags)
	if err != nil {
		return a
	}
	if a.served, err = discover(c.Context(), source); err == nil {
		a.source = source
	}
	return a
}

// types are the types that the word begins, by their whole names.
func (a typeCompleter) types(word string) []string {
	var names []string
	for _, t := range a.served.types {
		if name := t.String(); isPlainWord(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return withPrefix(word, names)
}

// isPlainWord reports whether a name may be offered. One that a shell would take for
// more than a word is not: it stands on the command line as it is, and the next key
// may run it.
func isPlainWord(name string) bool {
	return !strings.HasPrefix(name, "-") && stuck.ShellQuote(name) == name
}

// names are the objects of a type whose names the word begins.
func (a typeCompleter) names(namespace, of, word string) []string {
	types, err := a.served.resolveAll(of)
	if err != nil || a.source == nil {
		return nil
	}
	if stuck.IsBuiltInGroup(types[0].Group) {
		types = types[:1]
	}
	var names []string
	for _, t := range types {
		sel := cluster.Selection{Namespace: namespace}
		if !t.Namespaced {
			sel.Namespace = ""
		}
		var found []string
		err := a.source.Scan(a.command.Context(), t, sel, func(o stuck.Object) {
			if strings.HasPrefix(o.Name, word) && a.offered(o) && isPlainWord(o.Name) {
				found = append(found, o.Name)
			}
		})
		if err == nil {
			names = append(names, found...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
