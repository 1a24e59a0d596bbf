package recording

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Story is what the tests need to know of a scenario folder that has a
// recording.
type Story struct {
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

// All are the stories below testdata: those of the version that they are
// played on, and those that only an older one tells.
func All(testdata string) ([]Story, error) {
	older, err := filepath.Glob(filepath.Join(testdata, "older", "*"))
	if err != nil {
		return nil, fmt.Errorf("looking for older versions: %w", err)
	}
	var all []Story
	for _, root := range append([]string{filepath.Join(testdata, "scenarios")}, older...) {
		stories, err := Stories(root)
		if err != nil {
			return nil, err
		}
		all = append(all, stories...)
	}
	return all, nil
}

// Stories are the scenarios below a folder.
func Stories(root string) ([]Story, error) {
	types, err := LoadTypes(root)
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(root, "*", "story.yaml"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("there are no stories in %s", root)
	}
	var out []Story
	for _, file := range files {
		dir := filepath.Dir(file)
		story := Story{Name: filepath.Base(dir), Dir: dir, types: types}
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if err := yaml.Unmarshal(content, &story); err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
		out = append(out, story)
	}
	return out, nil
}

// Source answers from the story's recording.
func (s Story) Source() (*Source, error) {
	r, err := Load(s.Dir)
	if err != nil {
		return nil, err
	}
	return r.Source(s.types), nil
}

// Goldens are the story's golden files, each with the command lines whose
// output it holds: one for people, and a document of each kind.
func (s Story) Goldens() map[string][][]string {
	list, explain := append([]string{"list"}, s.List...), append([]string{"explain"}, s.Explain...)
	return map[string][][]string{
		"screen.txt":   {list, explain},
		"list.json":    {append(list[:len(list):len(list)], "-o", "json")},
		"explain.json": {append(explain[:len(explain):len(explain)], "-o", "json")},
	}
}

// Screen is what a command printed, with the lines of standard error marked.
func Screen(out, errOut string) string {
	var b strings.Builder
	for line := range strings.Lines(errOut) {
		b.WriteString("! " + line)
	}
	return b.String() + out
}
