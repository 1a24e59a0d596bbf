package cmd

import (
	"bytes"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/yamltext"
)

// yamlPrinter prints documents as YAML, whatever characters are in them.
// kubectl's own fails where YAML allows none of them.
type yamlPrinter struct{}

func (yamlPrinter) PrintObj(object runtime.Object, out io.Writer) error {
	text, err := yamltext.Marshal(object)
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	return err
}

// kyamlPrinter prints KYAML, a kind of YAML, and as any other where that
// would fail, or change a character.
type kyamlPrinter struct{ printers.ResourcePrinter }

func (p kyamlPrinter) PrintObj(object runtime.Object, out io.Writer) error {
	var buffer bytes.Buffer
	if err := p.ResourcePrinter.PrintObj(object, &buffer); err != nil {
		return yamlPrinter{}.PrintObj(object, out)
	}
	if read, err := yamltext.Unmarshal(buffer.Bytes()); err != nil || !yamltext.Equal(read, object) {
		return yamlPrinter{}.PrintObj(object, out)
	}
	_, err := buffer.WriteTo(out)
	return err
}

// documentPrinter is kubectl's printer of JSON and YAML, but for what fails on
// some characters.
func documentPrinter(flags *genericclioptions.JSONYamlPrintFlags, format string) (printers.ResourcePrinter, error) {
	p, err := flags.ToPrinter(format)
	switch strings.ToLower(format) {
	case "yaml":
		return yamlPrinter{}, nil
	case "kyaml":
		return kyamlPrinter{p}, err
	}
	return p, err
}
