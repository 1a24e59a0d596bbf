// Package plugins checks the files in plugins/ against the schemas of the programs that read them.
package plugins

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"
)

func TestK9sFilesFitTheirSchemas(t *testing.T) {
	for file, schema := range map[string]string{"k9s/plugins.yaml": "k9s-plugins.json", "k9s/views.yaml": "k9s-views.json"} {
		compiled, err := validator.NewCompiler().Compile(filepath.Join("testdata", schema))
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join("../../plugins", file))
		if err != nil {
			t.Fatal(err)
		}
		asJSON, err := yaml.YAMLToJSON(text)
		if err != nil {
			t.Fatal(err)
		}
		document, err := validator.UnmarshalJSON(bytes.NewReader(asJSON))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled.Validate(document); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}
