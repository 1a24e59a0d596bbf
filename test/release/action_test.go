package main

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// fakeCurl answers from a folder: what it was asked for is its last argument.
const fakeCurl = `#!/bin/sh
while [ $# -gt 1 ]; do
	[ "$1" = -o ] && target=$2
	shift
done
echo "$1" >> "$RELEASES/asked"
cp "$RELEASES/$(basename "$1")" "$target"
`

// fakePlugin prints its arguments, each on a line.
const fakePlugin = "#!/bin/sh\nprintf '[%s]\\n' \"$@\"\n"

const linuxArchive = "kubectl-finalizers_v0.1.0_linux_amd64.tar.gz"

func TestAction(t *testing.T) {
	scene := newActionScene(t)
	scene.run(t, 0, "VERSION=latest")
	out := scene.run(t, 1, "COMMAND=list", "ARGS=-A  --older-than 10m\n--finalizer *;id $(id)")
	if want := "[list]\n[-A]\n[--older-than]\n[10m]\n[--finalizer]\n[*;id]\n[$(id)]\n[-o]\n[github]\n"; out != want {
		t.Errorf("the plugin is called with\n%s, not with\n%s", out, want)
	}
	scene.run(t, 0, "VERSION=v0.1.0")
	asked, err := os.ReadFile(filepath.Join(scene.releases, "asked"))
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"/releases/latest/download/checksums.txt", "/releases/download/v0.1.0/" + linuxArchive} {
		if !strings.Contains(string(asked), address) {
			t.Errorf("%s was not downloaded, but\n%s", address, asked)
		}
	}
	scene.refuse(t, 1, "must be list, explain", "COMMAND=force-remove", "ARGS=")

	if err := os.WriteFile(filepath.Join(scene.releases, linuxArchive), []byte("other bytes"), 0o600); err != nil {
		t.Fatal(err)
	}
	scene.refuse(t, 0, "does not have the checksum", "VERSION=latest")
}

// actionScene is a runner of GitHub on which nothing is downloaded.
type actionScene struct {
	scripts     []string
	releases    string
	environment []string
}

func newActionScene(t *testing.T) actionScene {
	t.Helper()
	text, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Runs struct{ Steps []struct{ Run string } }
	}
	if err := yaml.Unmarshal(text, &action); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s := actionScene{releases: filepath.Join(dir, "releases")}
	for _, step := range action.Runs.Steps {
		s.scripts = append(s.scripts, step.Run)
	}
	bin, temp := filepath.Join(dir, "bin"), filepath.Join(dir, "temp")
	for _, folder := range []string{bin, temp, s.releases} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(bin, "curl"), []byte(fakeCurl), 0o700); err != nil {
		t.Fatal(err)
	}
	writeRelease(t, s.releases)
	s.environment = append(os.Environ(), "RELEASES="+s.releases, "RUNNER_TEMP="+temp, "RUNNER_OS=Linux", "RUNNER_ARCH=X64", "GITHUB_PATH="+filepath.Join(temp, "path"),
		"PATH="+strings.Join([]string{bin, filepath.Join(temp, "kubectl-finalizers"), os.Getenv("PATH")}, string(os.PathListSeparator)))
	return s
}

func writeRelease(t *testing.T, folder string) {
	t.Helper()
	file, err := os.Create(filepath.Join(folder, linuxArchive))
	if err != nil {
		t.Fatal(err)
	}
	compressed := gzip.NewWriter(file)
	archive := tar.NewWriter(compressed)
	if err := archive.WriteHeader(&tar.Header{Name: "kubectl-finalizers", Mode: 0o755, Size: int64(len(fakePlugin))}); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Write([]byte(fakePlugin)); err != nil {
		t.Fatal(err)
	}
	for _, each := range []interface{ Close() error }{archive, compressed, file} {
		if err := each.Close(); err != nil {
			t.Fatal(err)
		}
	}
	content, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	sums := fmt.Sprintf("%064d  kubectl-finalizers_v0.1.0_linux_arm64.tar.gz\n%x  %s\n", 0, sha256.Sum256(content), linuxArchive)
	if err := os.WriteFile(filepath.Join(folder, "checksums.txt"), []byte(sums), 0o600); err != nil {
		t.Fatal(err)
	}
}

// command is a step as the runner executes it.
func (s actionScene) command(t *testing.T, step int, environment ...string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", s.scripts[step])
	command.Env = slices.Concat(s.environment, environment)
	return command
}

func (s actionScene) run(t *testing.T, step int, environment ...string) string {
	t.Helper()
	out, err := s.command(t, step, environment...).CombinedOutput()
	if err != nil {
		t.Fatalf("step %d of the action: %v\n%s", step, err, out)
	}
	return string(out)
}

func (s actionScene) refuse(t *testing.T, step int, sentence string, environment ...string) {
	t.Helper()
	if out, err := s.command(t, step, environment...).CombinedOutput(); err == nil || !strings.Contains(string(out), sentence) {
		t.Errorf("step %d of the action does not say %q: %v\n%s", step, sentence, err, out)
	}
}
