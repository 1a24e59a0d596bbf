package recording

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Scenario is what the tests need to know of a scenario folder that has a
// recording.
type Scenario struct {
	Name string `json:"-"`
	Dir  string `json:"-"`
	// Causes are the causes that the story proves.
	Causes []string `json:"causes"`
	// List and Explain are the arguments of the commands whose output the
	// golden files hold.
	List    []string `json:"list"`
	Explain []string `json:"explain"`

	types []stuck.Type
}

// AllScenarios are the stories below testdata: those of the version that they are
// played on, and those that only an older one tells.
func AllScenarios(testdata string) ([]Scenario, error) {
	older, err := filepath.Glob(filepath.Join(testdata, "older", "*"))
	if err != nil {
		return nil, fmt.Errorf("looking for older versions: %w", err)
	}
	var all []Scenario
	for _, root := range append([]string{filepath.Join(testdata, "scenarios")}, older...) {
		scenarios, err := Scenarios(root)
		if err != nil {
			return nil, err
		}
		all = append(all, scenarios...)
	}
	return all, nil
}

// Scenarios are the scenarios below a folder.
func Scenarios(root string) ([]Scenario, error) {
	types, err := LoadTypes(root)
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(root, "*", "story.yaml"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("there are no stories in %s", root)
	}
	var out []Scenario
	for _, file := range files {
		dir := filepath.Dir(file)
		scenario := Scenario{Name: filepath.Base(dir), Dir: dir, types: types}
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if err := yaml.Unmarshal(content, &scenario); err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
		out = append(out, scenario)
	}
	return out, nil
}

// Source answers from the story's recording.
func (s Scenario) Source() (*Source, error) {
	r, err := Load(s.Dir)
	if err != nil {
		return nil, err
	}
	return r.Source(s.types), nil
}

// GoldenFiles are the story's golden files, each with the command lines whose
// output it is about, as Golden keeps it: one for people, and a document of each kind.
func (s Scenario) GoldenFiles() map[string][][]string {
	list, explain := append([]string{"list"}, s.List...), append([]string{"explain"}, s.Explain...)
	return map[string][][]string{
		"screen.txt":   {list, explain},
		"list.json":    {append(list[:len(list):len(list)], "-o", "json")},
		"explain.json": {append(explain[:len(explain):len(explain)], "-o", "json")},
	}
}

// errorMark begins each line of standard error among those of standard output.
const errorMark = "! "

// MergeOutput is what a command printed, with the lines of standard error marked.
func MergeOutput(out, errOut string) string {
	var b strings.Builder
	for line := range strings.Lines(errOut) {
		b.WriteString(errorMark + line)
	}
	return b.String() + out
}
