package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"
	spdxjson "github.com/spdx/tools-golang/json"
	"sigs.k8s.io/yaml"
)

var compileTwice = flag.Bool("compile-twice", false, "let TestReproducible compile everything twice, which takes minutes")

// A release can be built again from its commit, by anyone and anywhere: the same program, SPDX document and image. Without -compile-twice
// both builds share Go's cache, so that little more than linking is compared. With it the second build compiles every package again,
// those of the standard library included, which the nightly workflow does.
func TestReproducible(t *testing.T) {
	dir := t.TempDir()
	var env []string
	if *compileTwice {
		env = append(env, "GOCACHE="+filepath.Join(dir, "cache"))
	}
	first := buildReleased(t, repository(), filepath.Join(dir, "here"))
	// The clone is cloned again, since this repository may get a new commit meanwhile.
	second := buildReleased(t, filepath.Join(dir, "here"), filepath.Join(dir, "elsewhere", "deeper"), env...)
	sameFile(t, first, second)

	for name, program := range map[string]string{"first": first, "second": second} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := run(t.Context(), []string{"sbom", program, filepath.Join(dir, name, "p.spdx.json")}); err != nil {
			t.Fatal(err)
		}
		if err := run(t.Context(), []string{"image", filepath.Join(dir, name, "image"), program}); err != nil {
			t.Fatal(err)
		}
	}
	sameFile(t, filepath.Join(dir, "first", "p.spdx.json"), filepath.Join(dir, "second", "p.spdx.json"))
	sameFile(t, filepath.Join(dir, "first", "image", "index.json"), filepath.Join(dir, "second", "image", "index.json"))
	checkVersion(t, first)
	checkSBOM(t, filepath.Join(dir, "first", "p.spdx.json"))
	checkPush(t, filepath.Join(dir, "first", "image"))
}

// buildReleased builds the program in a clone as .goreleaser.yaml says, with the architecture of this machine.
func buildReleased(t *testing.T, origin, clone string, env ...string) string {
	t.Helper()
	text, err := os.ReadFile("../../.goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Builds []struct {
			Main                string
			Flags, Ldflags, Env []string
		}
	}
	if err := yaml.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	released := config.Builds[0]
	if out, err := exec.CommandContext(t.Context(), "git", "clone", "-q", origin, clone).CombinedOutput(); err != nil {
		t.Fatalf("cloning this repository: %v\n%s", err, out)
	}
	target := filepath.Join(clone, "bin", "kubectl-finalizers")
	ldflags := strings.ReplaceAll(strings.Join(released.Ldflags, " "), "{{ .Version }}", "1.2.3")
	args := append([]string{"build", "-o", target, "-ldflags", ldflags}, append(released.Flags, released.Main)...)
	build := exec.CommandContext(t.Context(), "go", args...)
	build.Dir = clone
	build.Env = slices.Concat(os.Environ(), []string{"GOOS=linux"}, released.Env, env)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the program: %v\n%s", err, out)
	}
	return target
}

func sameFile(t *testing.T, first, second string) {
	t.Helper()
	a, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(second)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Errorf("%s has other bytes when it is made again", filepath.Base(first))
	}
}

func checkVersion(t *testing.T, program string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), program, "version", "--client", "-o", "json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var printed struct {
		ClientVersion struct{ Version, Commit, Date string }
	}
	if err := json.Unmarshal(out, &printed); err != nil {
		t.Fatal(err)
	}
	if v := printed.ClientVersion; v.Version != "v1.2.3" || len(v.Commit) != 40 || v.Date == "" {
		t.Errorf("a released program does not know its version, commit or date: %s", out)
	}
}

func checkSBOM(t *testing.T, path string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	document, err := spdxjson.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	licenses := map[string]string{}
	for _, each := range document.Packages {
		licenses[each.PackageName] = each.PackageLicenseDeclared
	}
	if licenses["k8s.io/client-go"] != "Apache-2.0" || licenses["stdlib"] != "BSD-3-Clause" || len(document.Relationships) != len(document.Packages) {
		t.Errorf("the SPDX document has %d packages in %d relationships: %v", len(document.Packages), len(document.Relationships), licenses)
	}
}

func checkPush(t *testing.T, image string) {
	t.Helper()
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	var out bytes.Buffer
	if err := push(t.Context(), image, host+"/kubectl-finalizers:v1.2.3", &out); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), host+"/kubectl-finalizers@sha256:") {
		t.Errorf("the digest of the image is printed as %q", out.String())
	}
}
