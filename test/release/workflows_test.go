package main

import (
	"bytes"
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"text/template"

	"sigs.k8s.io/yaml"
)

// pinned is an action by the hash of its commit, which nobody can move, with its version for the reader.
var pinned = regexp.MustCompile(`uses: [\w-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)

func workflows(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../../.github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no workflows: %v", err)
	}
	texts := map[string]string{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(file)] = string(content)
	}
	return texts
}

func TestActionsArePinned(t *testing.T) {
	for name, text := range workflows(t) {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); strings.Contains(line, "uses:") && !pinned.MatchString(line) {
				t.Errorf("%s: pin this action by the hash of its commit, with its version in a comment: %s", name, line)
			}
		}
	}
}

// A workflow has no rights but to read, unless a job asks for them by name.
func TestWorkflowsHaveNoRights(t *testing.T) {
	for name, text := range workflows(t) {
		var workflow struct{ Permissions map[string]string }
		if err := yaml.Unmarshal([]byte(text), &workflow); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if workflow.Permissions == nil {
			t.Errorf("%s: permissions are missing, so each job has those of the repository's settings", name)
		}
		for right, level := range workflow.Permissions {
			if level != "read" {
				t.Errorf("%s: all jobs have %s: %s", name, right, level)
			}
		}
	}
}

// Versions are proposed for every module but those that are pinned by the names of their folders.
func TestDependabotKnowsAllModules(t *testing.T) {
	text, err := os.ReadFile("../../.github/dependabot.yml")
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Updates []struct {
			Ecosystem   string `json:"package-ecosystem"`
			Directories []string
		}
	}
	if err := yaml.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "bin" || d.Name() == ".git" || d.Name() == "kubernetes"):
			return filepath.SkipDir
		case d.Name() != "go.mod":
			return nil
		}
		folder := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../..")
		for _, update := range config.Updates {
			for _, pattern := range update.Directories {
				if known, err := filepath.Match(pattern, cmp.Or(folder, "/")); update.Ecosystem == "gomod" && (known || err != nil) {
					return err
				}
			}
		}
		t.Errorf("dependabot.yml does not have the module in %s", folder)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// The manifest of Krew names archives that a release has.
func TestArchiveNames(t *testing.T) {
	text, err := os.ReadFile("../../.goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Builds   []struct{ Targets []string }
		Archives []struct {
			NameTemplate string `json:"name_template"`
		}
	}
	if err := yaml.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	name := template.Must(template.New("name").Parse(config.Archives[0].NameTemplate))
	released := map[string]bool{}
	for _, target := range config.Builds[0].Targets {
		parts := append(strings.Split(target, "_"), "")
		var out bytes.Buffer
		if err := name.Execute(&out, map[string]string{"ProjectName": "kubectl-finalizers", "Version": "VERSION", "Os": parts[0], "Arch": parts[1], "Arm": parts[2]}); err != nil {
			t.Fatal(err)
		}
		format := map[bool]string{true: ".zip", false: ".tar.gz"}[parts[0] == "windows"]
		released[out.String()+format] = true
	}
	manifest, err := os.ReadFile("../../plugins/finalizers.yaml")
	if err != nil {
		t.Fatal(err)
	}
	archives := regexp.MustCompile(`download/v([^/]+)/(\S+)`).FindAllStringSubmatch(string(manifest), -1)
	if len(archives) == 0 {
		t.Error("the manifest names no archives")
	}
	for _, archive := range archives {
		if !released[strings.Replace(archive[2], archive[1], "VERSION", 1)] {
			t.Errorf("the manifest names %s, which is not built: %v", archive[2], released)
		}
	}
}
