package cmd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

type catalogFlags struct {
	output   outputFlags
	typeName string
	search   bool
}

func (p Program) newCatalog() *cobra.Command {
	var f catalogFlags
	c := &cobra.Command{
		Use:   "catalog [NAME | WORD ...]",
		Short: "Explain a finalizer, without a cluster",
		Long: `Explain a finalizer: its controller, what the controller does before it removes the finalizer, what is left behind
when the finalizer is removed by force, and the steps to take. Words that are no finalizer are searched for. No cluster is
contacted.

To add your own finalizers, pass --catalog FILE to any command, or save files as
$XDG_CONFIG_HOME/kubectl-finalizers/catalog.d/*.yaml (in ~/.config by default). Their format is that of
pkg/catalog/finalizers in the sources. The exit code is 1 if the finalizer is not known.`,
		Example: `  # Which controller removes this finalizer, and what if I do?
  kubectl finalizers catalog karpenter.sh/termination

  # A finalizer of several controllers, each with the types that it handles
  kubectl finalizers catalog finalizers.fluxcd.io

  # A finalizer that is not in the catalog, judged by its name
  kubectl finalizers catalog widgets.example.com/x --type widgets.example.com

  # All finalizers of a project
  kubectl finalizers catalog rook

  # All finalizers, with what their controllers do
  kubectl finalizers catalog -o wide`,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			known, err := p.Catalog()
			if err != nil {
				return err
			}
			return (&catalogOptions{catalogFlags: f, program: p, catalog: known}).Run(args)
		},
		ValidArgsFunction: p.completeFinalizers,
	}
	f.output.addTo(c)
	c.Flags().StringVar(&f.typeName, "type", "", "Type of the object that has the finalizer: Kind.group or plural.group (such as Certificate.cert-manager.io or pods).")
	c.Flags().BoolVar(&f.search, "search", false, "If true, search for the words even if they are the name of a finalizer.")
	registerCompletion(c, "type", p.completeTypesOf)
	return c
}

// check refuses flags that cannot be understood before anything is read.
func (f *catalogFlags) check() error {
	if strings.ContainsAny(f.typeName, "/ ,*") || strings.HasPrefix(f.typeName, ".") {
		return fmt.Errorf("reading --type: %q is not Kind.group or plural.group, such as Certificate.cert-manager.io or pods", f.typeName)
	}
	return f.output.check()
}

// catalogOptions is a catalog command that is ready to run.
type catalogOptions struct {
	catalogFlags
	program Program
	catalog *catalog.Catalog
}

// Run explains a name, or lists what words find.
func (o *catalogOptions) Run(args []string) error {
	if len(args) != 1 || o.search {
		if o.typeName != "" {
			return errors.New("--type takes exactly one finalizer: catalog NAME --type Kind.group")
		}
		return o.list(strings.Join(args, " "))
	}
	// The list command prints finalizers in the spec of a Namespace with this prefix.
	name := strings.TrimPrefix(args[0], stuck.SpecFinalizerPrefix)
	m := lookupFinalizer(o.catalog, name, o.typeName)
	switch {
	case m.Known():
		return o.explain(m)
	case o.typeName == "" && !strings.Contains(name, "/") && len(o.catalog.Search(name)) > 0:
		return o.list(name)
	}
	return o.unknownError(name)
}

func (o *catalogOptions) list(words string) error {
	found, out := o.catalog.Search(words), o.program.Streams.Out
	switch {
	case len(found) == 0:
		return fmt.Errorf("no finalizer in the catalog matches %q; try fewer words, or the whole name of a finalizer", words)
	case o.output.table():
		return o.output.printTable(report.CatalogTable(found), out)
	case o.output.Format == "name":
		return o.printNames(report.CatalogNames(found))
	}
	object, err := report.NewCatalog(found).Unstructured()
	if err != nil {
		return err
	}
	return o.output.printDocument(object, out)
}

func (o *catalogOptions) explain(m catalog.Match) error {
	out := o.program.Streams.Out
	switch {
	case o.output.Format == "":
		if err := report.CatalogText(out, m, o.typeName); err != nil {
			return err
		}
		o.hintSearch(m)
		return nil
	case o.output.Format == "wide" && len(m.Entries) > 0:
		return o.output.printTable(report.CatalogTable(m.Entries), out)
	case o.output.Format == "wide":
		return report.CatalogText(out, m, o.typeName)
	case o.output.Format == "name":
		return o.printNames([]string{m.Finalizer})
	}
	object, err := report.NewKnownFinalizer(m, o.typeName).Unstructured()
	if err != nil {
		return err
	}
	return o.output.printDocument(object, out)
}

func (o *catalogOptions) printNames(names []string) error {
	_, err := fmt.Fprintln(o.program.Streams.Out, strings.Join(names, "\n"))
	return err
}

// hintSearch says how many more a search finds, where a name may have been meant as a
// word.
func (o *catalogOptions) hintSearch(m catalog.Match) {
	if strings.ContainsAny(m.Finalizer, "./") || o.typeName != "" {
		return
	}
	if more := len(o.catalog.Search(m.Finalizer)) - len(m.Entries); more > 0 {
		fmt.Fprintf(o.program.Streams.ErrOut, "%d more match %s: %s\n", more, m.Finalizer, stuck.Shellf("kubectl finalizers catalog --search %s", m.Finalizer))
	}
}

// unknownError names finalizers that are similar to one that is not known.
func (o *catalogOptions) unknownError(name string) error {
	on, hint := "", "; pass --type Kind.group of the object that has it, to judge it by its name"
	if o.typeName != "" {
		on, hint = " on "+o.typeName+", and its name does not tell its controller", ""
	}
	// One name may have several entries.
	similar := report.CatalogNames(o.catalog.Similar(name, 3*maxSuggestions))
	return fmt.Errorf("finalizer %q is not known%s%s%s", name, on, didYouMean(similar), hint)
}

// maxSuggestions is how many names are suggested for one that is not known.
const maxSuggestions = 3

// lookupFinalizer looks up a finalizer on a type as people write it: Kind.group, or in
// lower case the plural or the singular, as kubectl takes them.
func lookupFinalizer(known *catalog.Catalog, name, typeName string) catalog.Match {
	kind, group, _ := strings.Cut(typeName, ".")
	if kind == "" || kind != strings.ToLower(kind) {
		return known.Lookup(name, catalog.Subject{Kind: kind, Group: group})
	}
	first := known.Lookup(name, catalog.Subject{Resource: kind, Group: group})
	if first.Known() && !first.OtherType {
		return first
	}
	for _, on := range []catalog.Subject{
		{Kind: kind}, {Resource: kind + "s"}, {Resource: kind + "es"}, {Resource: strings.TrimSuffix(kind, "y") + "ies"},
	} {
		on.Group = group
		if m := known.Lookup(name, on); m.Known() && !m.OtherType {
			return m
		}
	}
	return first
}
