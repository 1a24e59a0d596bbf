package cmd

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
)

// didYouMean offers names for one that is not known, in parentheses; nothing where there are none.
func didYouMean(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return " (did you mean " + strings.Join(names[:min(maxSuggestions, len(names))], " or ") + "?)"
}

// namesLike are the names that a word with a typing error or two may mean, nearest first.
func namesLike(word string, names []string) []string {
	const shortest = 3 // any name is near to fewer letters
	typos := func(name string) int { return catalog.EditDistance(strings.ToLower(word), strings.ToLower(name)) }
	var similar []string
	for _, name := range names {
		if name != "" && typos(name) <= min(maxTypos, len(word)/shortest) && !slices.Contains(similar, name) {
			similar = append(similar, name)
		}
	}
	slices.SortStableFunc(similar, func(a, b string) int { return cmp.Compare(typos(a), typos(b)) })
	return similar
}

// commandsLike are the commands that a word may mean.
func commandsLike(root *cobra.Command, word string) []string {
	root.SuggestionsMinimumDistance = maxTypos
	return root.SuggestionsFor(word)
}

// flagsLike are the flags of a command that a name may mean.
func flagsLike(c *cobra.Command, name string) []string {
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return addAffixes("--", namesLike(name, names), "")
}

// like are the types that a word may mean, by their whole names.
func (s servedTypes) like(word string) []string {
	name, _, _ := strings.Cut(word, ".")
	full := map[string][]string{}
	var names []string
	for _, t := range s.types {
		for _, n := range []string{t.Resource, t.SingularName, strings.ToLower(t.Kind)} {
			names = append(names, n)
			if !slices.Contains(full[n], t.String()) {
				full[n] = append(full[n], t.String())
			}
		}
	}
	var similar []string
	for _, n := range namesLike(name, names) {
		for _, t := range full[n] {
			if !slices.Contains(similar, t) {
				similar = append(similar, t)
			}
		}
	}
	return similar
}
