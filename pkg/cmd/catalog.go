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
		Short: "Say what is known of a finalizer, without a cluster",
		Long: `Say what is known of a finalizer: whose it is, what it waits for, what is left behind when it is removed by force,
the way out, and how all this is known. Words that are no finalizer's name are searched for. No cluster is contacted.

Add finalizers of your own with --catalog FILE, which goes with every command, or with files called
$XDG_CONFIG_HOME/kubectl-finalizers/catalog.d/*.yaml (~/.config where that is not set). They look like the ones in
pkg/catalog/finalizers. It ends with 1 when the name is not known.`,
		Example: `  # What is this, and what do I lose with it?
  kubectl finalizers catalog karpenter.sh/termination

  # One name, several programs: the type tells which
  kubectl finalizers catalog finalizers.fluxcd.io --type HelmRelease.helm.toolkit.fluxcd.io

  # A name that is not listed, judged by how it is built
  kubectl finalizers catalog widgets.example.com/cleanup --type widgets.example.com

  # All that is known of a project
  kubectl finalizers catalog rook

  # Everything, with what it waits for
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
	c.Flags().StringVar(&f.typeName, "type", "", "The type of the object that carries the finalizer: Kind.group or plural.group (such as Certificate.cert-manager.io or pods).")
	c.Flags().BoolVar(&f.search, "search", false, "Search, even for a word that is a finalizer's name.")
	registerCompletion(c, "type", p.completeTypesOf)
	return c
}

// check refuses what nobody understands before anything is read.
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
			return errors.New("--type goes with one finalizer: catalog NAME --type Kind.group")
		}
		return o.list(strings.Join(args, " "))
	}
	// The list command marks those of a namespace's spec.
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
		return fmt.Errorf("nothing in the catalogue holds %q: try fewer words, or a whole finalizer", words)
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

// hintSearch tells of what a search would have found, where a name may have been
// meant as a word.
func (o *catalogOptions) hintSearch(m catalog.Match) {
	if strings.ContainsAny(m.Finalizer, "./") || o.typeName != "" {
		return
	}
	if more := len(o.catalog.Search(m.Finalizer)) - len(m.Entries); more > 0 {
		fmt.Fprintf(o.program.Streams.ErrOut, "%d more speak of %s: %s\n", more, m.Finalizer, stuck.Shellf("kubectl finalizers catalog --search %s", m.Finalizer))
	}
}

// unknownError says which names are near one that is not known.
func (o *catalogOptions) unknownError(name string) error {
	text := fmt.Sprintf("finalizer %q is not known", name)
	if o.typeName != "" {
		text += fmt.Sprintf(", and nothing in it tells whose it is on %s", o.typeName)
	}
	// One name may have several entries.
	suggestions := report.CatalogNames(o.catalog.Similar(name, 3*maxSuggestions))
	if len(suggestions) > 0 {
		text += "; names like it: " + strings.Join(suggestions[:min(maxSuggestions, len(suggestions))], ", ")
	}
	if o.typeName == "" {
		text += "; add --type Kind.group of what carries it, and it is judged by how it is built"
	}
	return errors.New(text)
}

// maxSuggestions is how many names are offered for one that is not known.
const maxSuggestions = 3

// lookupFinalizer asks for a finalizer on a type as people write it: Kind.group, or in
// lower case the plural or, as kubectl also takes it, the singular.
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
