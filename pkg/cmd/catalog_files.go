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

// addCatalogFiles adds the flag for more finalizers, and returns a load that knows
// them too: those of the flag come before those of the user's folder, and these
// before the built-in ones.
func addCatalogFiles(root *cobra.Command, load func() (*catalog.Catalog, error)) func() (*catalog.Catalog, error) {
	files := root.PersistentFlags().StringArray("catalog", nil, "YAML file with more finalizers, in the format of the catalog. May be given several times.")
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
			return nil, fmt.Errorf("reading the files of catalog.d: %w", err)
		}
		for _, some := range [][]string{found, *files} {
			if known, err = withFiles(known, some); err != nil {
				return nil, err
			}
		}
		return known, nil
	}
}

// maxCatalogFile is larger than any file that is written by hand.
const maxCatalogFile = 8 << 20

// withFiles is the catalog with the finalizers of files.
func withFiles(known *catalog.Catalog, names []string) (*catalog.Catalog, error) {
	if len(names) == 0 {
		return known, nil
	}
	files := make([]catalog.File, 0, len(names))
	for _, name := range names {
		data, err := ownfile.Read(name, maxCatalogFile)
		if err != nil {
			return nil, fmt.Errorf("reading a catalog file: %w", err)
		}
		files = append(files, catalog.File{Name: name, Data: data})
	}
	known, err := known.With(files...)
	if err != nil {
		return nil, fmt.Errorf("reading a catalog file: %s", faultsText(err.Error()))
	}
	return known, nil
}

// maxFaults is how many faults of files one error names.
const maxFaults = 10

// faultsText is the faults of files, in one line.
func faultsText(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, ":\n", ": "), "\n")
	if more := len(lines) - maxFaults; more > 0 {
		lines = append(lines[:maxFaults], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "; ")
}

// catalogFolder lists the files in the user's folder, by name. Without a home, or
// without the folder, there are none.
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
