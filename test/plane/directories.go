package plane

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// cacheDir is where everything that can be made again is kept.
func cacheDir() (string, error) {
	if dir := os.Getenv("XDG_CACHE_HOME"); dir != "" {
		return filepath.Join(dir, "kubectl-finalizers"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("finding the cache: %w", err)
	}
	return filepath.Join(home, ".cache", "kubectl-finalizers"), nil
}

// programDir is where the programs of a Kubernetes version are, or will be.
func programDir(version string) (string, error) {
	cache, err := cacheDir()
	return filepath.Join(cache, "kubernetes", version), err
}

// verifiedProgramDir is programDir if what is there is what the pins ask for.
func verifiedProgramDir(version string) (string, error) {
	dir, err := programDir(version)
	if err != nil {
		return "", err
	}
	want, err := stamp(version)
	if err != nil {
		return "", err
	}
	got, err := os.ReadFile(filepath.Join(dir, stampFile))
	if err != nil || string(got) != want {
		return "", fmt.Errorf("the programs of Kubernetes %s are not built, or not from the present pins", version)
	}
	return dir, nil
}

// pinnedModuleDir is the module that pins the sources of a Kubernetes version: next to this file, or, where the compiler was told
// to forget its path, in the module that the working directory is in.
func pinnedModuleDir(version string) (string, error) {
	places := []string{}
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		places = append(places, filepath.Join(filepath.Dir(file), "..", "kubernetes"))
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("finding the working directory: %w", err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		places = append(places, filepath.Join(dir, "kubernetes"), filepath.Join(dir, "test", "kubernetes"))
	}
	for _, place := range places {
		pins := filepath.Join(place, version)
		if _, err := os.Stat(filepath.Join(pins, "go.mod")); err == nil {
			return pins, nil
		}
	}
	return "", fmt.Errorf("there is no test/kubernetes/%s/go.mod: nothing says how to build that version", version)
}
