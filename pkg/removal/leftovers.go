package removal

import (
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// runFolderLayout is how the folder of a run is called: by its time.
const runFolderLayout = "20060102T150405Z"

var runFolderName = regexp.MustCompile(`^([0-9]{8}T[0-9]{6}Z)(-[0-9]+)?$`)

const (
	// partialExtension ends the name of a copy that is being written.
	partialExtension = ".half"
	// probeFile is written to see that a folder can be written to.
	probeFile = ".probe"
	// leftoverAge is how old a run must be before what it left is removed: one
	// that is not killed may wait at its prompt.
	leftoverAge = 24 * time.Hour
)

// removeLeftovers removes what runs have left that were killed: copies that were
// never finished, before which nothing is written to the cluster, and folders
// that hold nothing else. What cannot be removed stays, and does no harm.
func removeLeftovers(clusterDir string, now time.Time) {
	entries, err := os.ReadDir(clusterDir)
	if err != nil {
		return
	}
	for _, e := range entries {
		match := runFolderName.FindStringSubmatch(e.Name())
		if match == nil || !e.IsDir() {
			continue
		}
		if began, err := time.Parse(runFolderLayout, match[1]); err == nil && now.Sub(began) > leftoverAge {
			removeRunLeftovers(filepath.Join(clusterDir, e.Name()))
		}
	}
}

func removeRunLeftovers(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if filepath.Ext(e.Name()) == partialExtension || e.Name() == probeFile || e.Name() == AuditFile && info.Size() == 0 {
			_ = os.Remove(filepath.Join(dir, e.Name())) // the next run tries again
		}
	}
	_ = os.Remove(dir) // it stays unless it is empty
}
