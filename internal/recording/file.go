package recording

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// fileName is that of a recording within its scenario folder.
const fileName = "recording.yaml"

// Recording is what one API server answered.
type Recording struct {
	Time    time.Time `json:"time"`
	Version string    `json:"version"`
	// Types are those that a fresh control plane does not have.
	Types []stuck.Type `json:"types,omitempty"`
	// Discovery are the groups that could not be discovered.
	Discovery []stuck.Gap `json:"discovery,omitempty"`
	// Scanned are the namespaces ("" for the whole cluster) in which a survey
	// scanned every type: one that is not among the answers had no objects.
	Scanned []string `json:"scanned,omitempty"`
	Answers []Answer `json:"answers"`
}

// Answer is the answer to one question.
type Answer struct {
	Question string         `json:"question"`
	Error    *metav1.Status `json:"error,omitempty"`
	// Failure is an error that did not come from the API server.
	Failure string           `json:"failure,omitempty"`
	Objects []map[string]any `json:"objects,omitempty"`
}

func (a Answer) failed() bool { return a.Error != nil || a.Failure != "" }

// Load reads the recording of a scenario folder.
func Load(dir string) (*Recording, error) {
	content, err := os.ReadFile(filepath.Join(dir, fileName))
	if err != nil {
		return nil, fmt.Errorf("reading the recording: %w", err)
	}
	r := &Recording{}
	if err := yaml.UnmarshalStrict(content, r); err != nil {
		return nil, fmt.Errorf("reading the recording in %s: %w", dir, err)
	}
	for i, gap := range r.Discovery { // a document has no more of a gap than its text
		if path, ok := strings.CutPrefix(gap.Source, "/apis/"); ok {
			group, version, _ := strings.Cut(path, "/")
			r.Discovery[i].GroupVersion = schema.GroupVersion{Group: group, Version: version}
		}
	}
	return r, nil
}

// Save writes the recording into a scenario folder.
func (r *Recording) Save(dir string) error {
	content, err := yaml.Marshal(r)
	if err != nil {
		return fmt.Errorf("writing the recording: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, fileName), content, 0o644)
}

// LoadTypes reads the types of a fresh control plane, which all recordings
// share, from the folder that holds the scenarios.
func LoadTypes(root string) ([]stuck.Type, error) {
	content, err := os.ReadFile(filepath.Join(root, typesFileName))
	if err != nil {
		return nil, fmt.Errorf("reading the types of a fresh control plane: %w", err)
	}
	var types []stuck.Type
	return types, yaml.UnmarshalStrict(content, &types)
}

// SaveTypes writes the types of a fresh control plane.
func SaveTypes(root string, types []stuck.Type) error {
	content, err := yaml.Marshal(types)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, typesFileName), content, 0o644)
}

const typesFileName = "types.yaml"
