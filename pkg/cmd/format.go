package cmd

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/printers"
)

// formatFlag is the -o of a command that prints one document, in one of a few
// formats of its own or as JSON or YAML.
type formatFlag struct {
	chosen string
	known  []string
	// template has the templates of kubectl get, nil for a command without them.
	template *genericclioptions.KubeTemplatePrintFlags
}

// templateFormats are the formats of kubectl get that take a template.
var templateFormats = []string{"jsonpath", "jsonpath-as-json", "jsonpath-file", "go-template", "go-template-file"}

// addTemplates is addTo with the templates of kubectl get too.
func (f *formatFlag) addTemplates(c *cobra.Command, known ...string) {
	f.template = genericclioptions.NewKubeTemplatePrintFlags()
	f.template.AddFlags(c)
	f.addTo(c, append(known, templateFormats...)...)
}

func (f *formatFlag) addTo(c *cobra.Command, known ...string) {
	f.known = known
	c.Flags().StringVarP(&f.chosen, "output", "o", "", fmt.Sprintf("Output format. One of: (%s).", strings.Join(known, ", ")))
	completeValues(c, "output", known...)
}

// check refuses a format that nobody knows before anything is read.
func (f formatFlag) check() error {
	if f.chosen == "" || slices.Contains(f.known, f.chosen) && !slices.Contains(templateFormats, f.chosen) {
		return nil
	}
	_, err := f.printer()
	if genericclioptions.IsNoCompatiblePrinterError(err) {
		return unknownFormat(f.chosen, strings.Join(f.known, ", "))
	}
	return err
}

// printer is the printer of a whole document.
func (f formatFlag) printer() (printers.ResourcePrinter, error) {
	p, err := documentPrinter(genericclioptions.NewJSONYamlPrintFlags(), f.chosen)
	if f.template == nil || !genericclioptions.IsNoCompatiblePrinterError(err) {
		return p, err
	}
	return f.template.ToPrinter(f.chosen)
}

// printDocument prints a document, which has to be a pointer. A template that fails half way
// prints nothing.
func (f formatFlag) printDocument(document any, out io.Writer) error {
	printer, err := f.printer()
	if err != nil {
		return err
	}
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(document)
	if err != nil {
		return err
	}
	var whole bytes.Buffer
	if err := printer.PrintObj(&unstructured.Unstructured{Object: object}, &whole); err != nil {
		return fmt.Errorf("printing with -o %s: %w", f.chosen, err)
	}
	_, err = whole.WriteTo(out)
	return err
}

func unknownFormat(format, known string) error {
	return fmt.Errorf("unknown output format %q; it is one of: %s", format, known)
}
