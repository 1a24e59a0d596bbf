package krew

import (
	"os"
	"strings"
	"testing"
)

// What is checked in is what the template gives for the version that it names.
func TestManifest(t *testing.T) {
	text, err := os.ReadFile("../../.krew.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var checksums strings.Builder
	for _, name := range []string{"linux_amd64.tar.gz", "linux_arm64.tar.gz", "darwin_amd64.tar.gz", "darwin_arm64.tar.gz", "windows_amd64.zip", "windows_arm64.zip"} {
		checksums.WriteString(strings.Repeat("0", 64) + "  kubectl-finalizers_v0.1.0_" + name + "\n")
	}
	got, err := Manifest(string(text), "v0.1.0", checksums.String())
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../../plugins/finalizers.yaml")
	if err != nil {
		t.Fatal(err)
	}
	unreleased := "# v0.1.0 is not released yet: until it is, the sha256 sums are zeros, and Krew refuses to install.\n"
	if got != strings.Replace(string(want), unreleased, "", 1) {
		t.Errorf(".krew.yaml and plugins/finalizers.yaml say different things: edit both. The template gives\n%s", got)
	}
	if _, err := Manifest(string(text), "v0.2.0", checksums.String()); err == nil || !strings.Contains(err.Error(), "kubectl-finalizers_v0.2.0_linux_amd64.tar.gz") {
		t.Errorf("a manifest without the sum of an archive ends with: %v", err)
	}
}
