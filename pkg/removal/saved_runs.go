package removal

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// SavedRun is the folder of one run of force-remove, with its saved copies.
type SavedRun struct {
	Dir string
	// Context is what the kubeconfig called the cluster, as the name of a folder.
	Context string
	Time    time.Time
	Copies  int

	// number tells runs of the same second apart: a later one has a higher number.
	number int
}

// SavedRuns are the runs below a folder, that of one context or of all, the newest first.
// Runs without copies are left out. A folder that is itself that of a run has none.
func SavedRuns(dir string) ([]SavedRun, error) {
	runs, folders, err := runsIn(dir)
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		if more, _, err := runsIn(folder); err == nil { // what cannot be read belongs to another user
			runs = append(runs, more...)
		}
	}
	slices.SortStableFunc(runs, func(a, b SavedRun) int {
		return cmp.Or(b.Time.Compare(a.Time), strings.Compare(a.Context, b.Context), cmp.Compare(b.number, a.number))
	})
	return runs, nil
}

// runsIn are the runs in the folder of a context, and its other folders.
func runsIn(dir string) (runs []SavedRun, folders []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the saved copies: %w", err)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		match := runFolderName.FindStringSubmatch(e.Name())
		switch {
		case !e.IsDir():
		case match == nil:
			folders = append(folders, path)
		default:
			began, err := time.Parse(runFolderLayout, match[1])
			number, _ := strconv.Atoi(strings.TrimPrefix(match[2], "-")) // the first has none
			if copies, filesErr := savedCopyFiles(path); err == nil && filesErr == nil {
				runs = append(runs, SavedRun{Dir: path, Context: filepath.Base(dir), Time: began, Copies: len(copies), number: number})
			}
		}
	}
	return runs, folders, nil
}
