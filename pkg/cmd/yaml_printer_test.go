package cmd

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
)

// TestYAMLOfAnyCharacter holds that no name in a cluster makes -o yaml fail, or say something else than -o json, also
// behind what keeps control characters off a terminal.
func TestYAMLOfAnyCharacter(t *testing.T) {
	for _, name := range []string{"plain", "\u007f", "\u009b31m", "a\u0085b", "\ufffe", "\uffff", "\u202egnp.exe", "\u2028", "\u200b", "\x1b[2J", "\U000e0001", "\ufeff"} {
		list := report.StuckList{APIVersion: report.APIVersion, Kind: "StuckList", Items: []report.StuckObject{{ListedObject: report.ListedObject{Kind: "Role", Metadata: report.ObjectMetadata{Name: "x" + name + "y"}}}}}
		object, err := list.Unstructured()
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range []string{"yaml", "kyaml"} {
			p, err := documentPrinter(genericclioptions.NewJSONYamlPrintFlags(), format)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := p.PrintObj(object, report.EscapeWriter(&out)); err != nil {
				t.Errorf("%q as %s: %v", name, format, err)
				continue
			}
			var got report.StuckList
			data, err := yaml.YAMLToJSON(out.Bytes())
			if err == nil {
				err = json.Unmarshal(data, &got)
			}
			if err != nil || len(got.Items) != 1 || got.Items[0].Metadata.Name != "x"+name+"y" {
				t.Errorf("%q as %s is read as %+v (%v):\n%s", name, format, got.Items, err, out.String())
			}
			if strings.HasPrefix(out.String(), "{") && name == "plain" && format == "yaml" {
				t.Errorf("what every YAML can hold is printed as JSON:\n%s", out.String())
			}
		}
	}
}
