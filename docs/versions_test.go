package docs_test

import (
	"os"
	"strings"
	"testing"
)

// TestVersions holds that README.md names the Kubernetes versions that are tested.
func TestVersions(t *testing.T) {
	folders, err := os.ReadDir("../test/kubernetes")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no versions are tested: %v", err)
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, versions, _ := strings.Cut(string(readme), "It is tested on Kubernetes ")
	versions, _, _ = strings.Cut(versions, ". ")
	for _, folder := range folders {
		minor := strings.TrimPrefix(folder.Name()[:strings.LastIndex(folder.Name(), ".")], "v")
		if !strings.Contains(versions, minor) {
			t.Errorf("README.md does not name %s among %q", minor, versions)
		}
	}
}
