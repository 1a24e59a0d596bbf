package cmd

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
)

// formatFlag is the -o of a command that prints one document, in one of a few
// formats of its own or as JSON or YAML.
type formatFlag struct {
	chosen string
	known  []string
}

func (f *formatFlag) addTo(c *cobra.Command, known ...string) {
	f.known = known
	c.Flags().StringVarP(&f.chosen, "output", "o", "", fmt.Sprintf("Output format. One of: (%s).", strings.Join(known, ", ")))
	completeValues(c, "output", known...)
}

// check refuses a format that nobody knows before anything is read.
func (f formatFlag) check() error {
	if f.chosen == "" || slices.Contains(f.known, f.chosen) {
		return nil
	}
	if _, err := documentPrinter(genericclioptions.NewJSONYamlPrintFlags(), f.chosen); err != nil {
		return unknownFormat(f.chosen, strings.Join(f.known, ", "))
	}
	return nil
}

// printDocument prints a document, which has to be a pointer, as JSON or YAML.
func (f formatFlag) printDocument(document any, out io.Writer) error {
	printer, err := documentPrinter(genericclioptions.NewJSONYamlPrintFlags(), f.chosen)
	if err != nil {
		return err
	}
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(document)
	if err != nil {
		return err
	}
	return printer.PrintObj(&unstructured.Unstructured{Object: object}, out)
}

func unknownFormat(format, known string) error {
	return fmt.Errorf("unknown output format %q; it is one of: %s", format, known)
}
