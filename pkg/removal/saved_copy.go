package removal

import (
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/ownfile"
	"github.com/kubectl-finalizers/kubectl-finalizers/internal/yamltext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
)

// SavedCopy is a saved copy.
type SavedCopy struct {
	File   string
	Object *unstructured.Unstructured
	// Cluster is the cluster in which it was saved, empty if the copy does not say.
	Cluster Cluster
	// Omitted is what was left out of it on purpose, in words.
	Omitted string
	// Verified says that the audit file beside it has the digest of the copy.
	Verified bool

	sha256 string
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
	dir = filepath.Dir(files[0])
	names := map[string]bool{}
	for _, file := range files {
		savedCopy, err := loadSavedCopy(file)
		if err != nil {
			return nil, "", err
		}
		saved, names[filepath.Base(file)] = append(saved, savedCopy), true
	}
	digests, err := savedDigests(dir, names)
	for i, s := range saved {
		saved[i].Verified = digests[savedDigest{filepath.Base(s.File), s.sha256}]
	}
	return saved, dir, err
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
		return nil, fmt.Errorf("there are no saved copies in %s: name the folder of a run, or one file", dir)
	}
	return files, nil
}

// maxCopySize is more than the API server keeps of any object, as YAML.
const maxCopySize = 16 << 20

// loadSavedCopy reads a copy that force-remove can have saved.
func loadSavedCopy(file string) (SavedCopy, error) {
	saved, err := readSavedCopy(file)
	if err != nil {
		return saved, err
	}
	if missing := missingField(saved.Object); missing != "" {
		return saved, fmt.Errorf("%s is not a saved copy: it has no %s, and force-remove saves nothing without", file, missing)
	}
	return saved, nil
}

// missingField is what an object lacks that each has which force-remove writes to.
func missingField(u *unstructured.Unstructured) string {
	specFinalizers, _, _ := unstructured.NestedStringSlice(u.Object, "spec", "finalizers") // only a Namespace has any
	switch {
	case u.GetUID() == "":
		return "uid"
	case u.GetDeletionTimestamp() == nil:
		return "deletionTimestamp"
	case len(u.GetFinalizers()) == 0 && (u.GetAPIVersion() != "v1" || u.GetKind() != "Namespace" || len(specFinalizers) == 0):
		return "finalizers"
	}
	return ""
}

func readSavedCopy(file string) (SavedCopy, error) {
	content, err := ownfile.ReadOwn(file, maxCopySize)
	if err != nil {
		return SavedCopy{}, fmt.Errorf("reading the saved copy: %w", err)
	}
	object, err := yamltext.Unmarshal(content)
	if err != nil {
		return SavedCopy{}, fmt.Errorf("%s is not a saved copy: %s", file, apitext.Shorten(err.Error()))
	}
	u := &unstructured.Unstructured{Object: object}
	if u.GetName() == "" || u.GetKind() == "" || u.GetAPIVersion() == "" {
		return SavedCopy{}, fmt.Errorf("%s is not a saved copy: it has no apiVersion, kind and name", file)
	}
	header := parseBackupHeader(content)
	return SavedCopy{
		File: file, Object: u, Cluster: Cluster{Server: header.Server, UID: header.UID}, Omitted: header.Omitted, sha256: sha256Hex(content),
	}, nil
}
