package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/ownfile"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
)

// addCatalogFiles adds the flag for a user's own finalizers, and returns load
// so that it knows them too: those of the flag before those of the user's folder
// before those that are built in.
func addCatalogFiles(root *cobra.Command, load func() (*catalog.Catalog, error)) func() (*catalog.Catalog, error) {
	files := root.PersistentFlags().StringArray("catalog", nil, "File with finalizers of your own, in the form of the catalogue; may be given more than once.")
	registerCompletion(root, "catalog", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
	})
	return func() (*catalog.Catalog, error) {
		known, err := load()
		if err != nil {
			return nil, err
		}
		found, err := catalogFolder()
		if err != nil {
			return nil, fmt.Errorf("reading the catalogue's files: %w", err)
		}
		for _, some := range [][]string{found, *files} {
			if known, err = withFiles(known, some); err != nil {
				return nil, err
			}
		}
		return known, nil
	}
}

// maxCatalogFile is more than anybody writes by hand.
const maxCatalogFile = 8 << 20

// withFiles is the catalog that also knows what files say.
func withFiles(known *catalog.Catalog, names []string) (*catalog.Catalog, error) {
	if len(names) == 0 {
		return known, nil
	}
	files := make([]catalog.File, 0, len(names))
	for _, name := range names {
		data, err := ownfile.Read(name, maxCatalogFile)
		if err != nil {
			return nil, fmt.Errorf("reading a catalogue file: %w", err)
		}
		files = append(files, catalog.File{Name: name, Data: data})
	}
	known, err := known.With(files...)
	if err != nil {
		return nil, fmt.Errorf("reading a catalogue file: %s", faultsText(err.Error()))
	}
	return known, nil
}

// maxFaults is how many faults of a file are told at a time.
const maxFaults = 10

// faultsText is what is wrong with files, in one line.
func faultsText(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, ":\n", ": "), "\n")
	if more := len(lines) - maxFaults; more > 0 {
		lines = append(lines[:maxFaults], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "; ")
}

// catalogFolder lists the files that a user keeps for every run, by name. Who
// has no home, or keeps none, has none.
func catalogFolder() ([]string, error) {
	config := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(config) {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, nil //nolint:nilerr // without a home there is no folder in it
		}
		config = filepath.Join(home, ".config")
	}
	folder := filepath.Join(config, "kubectl-finalizers", "catalog.d")
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, file := range entries {
		if !file.IsDir() && filepath.Ext(file.Name()) == ".yaml" {
			names = append(names, filepath.Join(folder, file.Name()))
		}
	}
	return names, err
}
