package removal

import (
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// SavedCopy is a saved copy.
type SavedCopy struct {
	File   string
	Object *unstructured.Unstructured
	// Cluster is the cluster in which it was saved, empty if the copy does not say.
	Cluster Cluster
	// Omitted is what was left out of it on purpose, in words.
	Omitted string
}

// LoadSavedCopies reads a saved copy, or all of a folder, and gives the folder.
func LoadSavedCopies(path string) (saved []SavedCopy, dir string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, "", fmt.Errorf("reading the saved copy: %w", err)
	}
	files := []string{path}
	if info.IsDir() {
		if files, err = savedCopyFiles(path); err != nil {
			return nil, "", err
		}
	}
	for _, file := range files {
		savedCopy, err := loadSavedCopy(file)
		if err != nil {
			return nil, "", err
		}
		saved = append(saved, savedCopy)
	}
	return saved, filepath.Dir(files[0]), nil
}

// savedCopyFiles are the saved copies of a run.
func savedCopyFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("reading the saved copies: %w", err)
	}
	var files []string
	for _, e := range entries {
		if !e.IsDir() && filepath.Ext(e.Name()) == ".yaml" {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("there are no saved copies in %s: name the folder of one run, or one file", dir)
	}
	return files, nil
}

func loadSavedCopy(file string) (SavedCopy, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return SavedCopy{}, fmt.Errorf("reading the saved copy: %w", err)
	}
	object := map[string]any{}
	if err := yaml.Unmarshal(content, &object); err != nil {
		return SavedCopy{}, fmt.Errorf("%s is not a saved copy: %s", file, err.Error())
	}
	u := &unstructured.Unstructured{Object: object}
	if u.GetName() == "" || u.GetKind() == "" || u.GetAPIVersion() == "" {
		return SavedCopy{}, fmt.Errorf("%s is not a saved copy: it has no apiVersion, kind and name", file)
	}
	header := parseBackupHeader(content)
	return SavedCopy{File: file, Object: u, Cluster: Cluster{Server: header.Server, UID: header.UID}, Omitted: header.Omitted}, nil
}
