package cmd

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/printers"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// outputFlags are kubectl get's flags for output, less those that sort and
// label rows.
type outputFlags struct {
	Format    string
	NoHeaders bool
	// reports says that the command has the formats for pipelines and tickets.
	reports  bool
	json     *genericclioptions.JSONYamlPrintFlags
	template *genericclioptions.KubeTemplatePrintFlags
}

func (f *outputFlags) addTo(c *cobra.Command) {
	f.json = genericclioptions.NewJSONYamlPrintFlags()
	f.template = genericclioptions.NewKubeTemplatePrintFlags()
	f.template.AddFlags(c)
	known := []string{"wide", "name", "json", "yaml", "kyaml", "jsonpath", "jsonpath-as-json", "jsonpath-file", "go-template", "go-template-file", "custom-columns", "custom-columns-file"}
	completed := []string{"wide", "name", "json", "yaml", "kyaml", "jsonpath=", "go-template=", "custom-columns="}
	if f.reports {
		known, completed = append(known, report.ReportFormats...), append(completed, report.ReportFormats...)
	}
	c.Flags().StringVarP(&f.Format, "output", "o", "", fmt.Sprintf("Output format. One of: (%s).", strings.Join(known, ", ")))
	c.Flags().BoolVar(&f.NoHeaders, "no-headers", false, "When printing a table, don't print headers.")
	completeValues(c, "output", completed...)
}

// table reports whether the output is one for reading.
func (f *outputFlags) table() bool { return f.Format == "" || f.Format == "wide" }

// isReport reports whether the output is a report for a pipeline or a ticket.
func (f *outputFlags) isReport() bool { return f.reports && isReport(f.Format) }

// check refuses a format that nobody knows before anything is read.
func (f *outputFlags) check() error {
	if f.Format == "" && *f.template.TemplateArgument != "" {
		f.Format = "go-template" // as kubectl get does
	}
	if f.table() || f.Format == "name" || f.isReport() {
		return nil
	}
	_, err := f.printer()
	return err
}

// printer is the printer of a whole document.
func (f *outputFlags) printer() (printers.ResourcePrinter, error) {
	if p, err := documentPrinter(f.json, f.Format); !genericclioptions.IsNoCompatiblePrinterError(err) {
		return p, err
	}
	if p, err := f.template.ToPrinter(f.Format); !genericclioptions.IsNoCompatiblePrinterError(err) {
		return p, err
	}
	p, err := columnsPrinter(f.Format, *f.template.TemplateArgument, f.NoHeaders)
	if p == nil && err == nil {
		known := []string{"wide", "name", "json", "yaml", "kyaml", "jsonpath", "go-template", "custom-columns"}
		if f.reports {
			known = append(known, report.ReportFormats...)
		}
		err = unknownFormat(f.Format, strings.Join(known, ", "))
	}
	return p, err
}

func (f *outputFlags) printTable(table *metav1.Table, out io.Writer) error {
	if len(table.Rows) == 0 {
		return nil
	}
	err := printers.NewTablePrinter(printers.PrintOptions{NoHeaders: f.NoHeaders, Wide: f.Format == "wide"}).PrintObj(table, out)
	if checked, ok := out.(*checkedWriter); ok && err == nil { // the printer of tables tells of no lost output
		err = checked.lost()
	}
	return err
}

func (f *outputFlags) printList(list report.StuckList, out io.Writer) error {
	if f.Format == "name" {
		return printNames(list, out)
	}
	object, err := list.Unstructured()
	if err != nil {
		return err
	}
	return f.printDocument(object, out)
}

// printNames prints a line for each object, whatever its name is made of.
func printNames(list report.StuckList, out io.Writer) error {
	for _, o := range list.Names() {
		var name strings.Builder
		if err := (&printers.NamePrinter{}).PrintObj(o, &name); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, stuck.EscapeLine(strings.TrimSuffix(name.String(), "\n"))); err != nil {
			return err
		}
	}
	return nil
}

func (f *outputFlags) printDocument(object runtime.Object, out io.Writer) error {
	p, err := f.printer()
	if err != nil {
		return err
	}
	// A template that fails half way, or says so where data belongs, prints
	// nothing.
	var whole bytes.Buffer
	if err := p.PrintObj(object, &whole); err != nil {
		return fmt.Errorf("printing with -o %s: %w", f.Format, err)
	}
	_, err = whole.WriteTo(out)
	return err
}
