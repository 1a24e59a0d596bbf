package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/krew"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// released is where archives are downloaded from.
const released = "https://github.com/kubectl-finalizers/kubectl-finalizers/releases/download/"

// krewScene is a user's machine with kubectl and Krew, an index of this project and one of the same name as Krew's own.
type krewScene struct {
	t           *testing.T
	environment []string
	bin         string
	archives    map[string][]byte
	server      *httptest.Server
}

// The real Krew installs, upgrades and uninstalls the plugin through this repository, as docs/install.md says.
func TestKrew(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the manifest of the test has archives for Linux only")
	}
	scene := newKrewScene(t, sharedPlane(t))
	index := scene.cloneIndex("index")
	scene.release(index, "v0.1.0")
	other := scene.cloneIndex("default")
	scene.release(other, "v0.0.1")

	scene.run("krew", "index", "add", "default", other)
	scene.run("krew", "index", "add", "finalizers", index)
	if out := scene.run("krew", "search"); strings.Contains(out, "failed to read") {
		t.Errorf("Krew cannot read every file of the index:\n%s", out)
	}

	// Krew keeps one plugin of a name. The other project has this one in the default index.
	scene.run("krew", "install", "finalizers")
	scene.expect("Skipping plugin", "krew", "install", "finalizers/finalizers")
	scene.run("krew", "uninstall", "finalizers")
	scene.expect("kubectl_complete-finalizers", "krew", "install", "finalizers/finalizers")
	scene.expect("finalizers/finalizers", "krew", "list")
	scene.list()

	scene.release(index, "v0.2.0")
	scene.expect("Upgraded plugin: finalizers/finalizers", "krew", "upgrade", "finalizers")
	scene.expectInstalled("v0.2.0")
	scene.list()

	scene.run("krew", "uninstall", "finalizers")
	if out, err := scene.command("kubectl", "finalizers", "version", "--client").CombinedOutput(); err == nil {
		t.Errorf("the plugin still runs after it was uninstalled:\n%s", out)
	}
	scene.run("krew", "index", "remove", "finalizers")
}

func newKrewScene(t *testing.T, p *plane.Plane) *krewScene {
	t.Helper()
	dir := t.TempDir()
	s := &krewScene{t: t, bin: filepath.Join(dir, "bin"), archives: map[string][]byte{}}
	if err := os.MkdirAll(s.bin, 0o700); err != nil {
		t.Fatal(err)
	}
	// The plane's own directory has the plugin beside kubectl, so it is not on the PATH here.
	if err := os.Symlink(filepath.Join(p.Bin(), "kubectl"), filepath.Join(s.bin, "kubectl")); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(s.bin, "kubectl-krew"), "sigs.k8s.io/krew/cmd/krew")
	build.Dir = "../tools"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building Krew: %v\n%s", err, out)
	}
	s.server = httptest.NewTLSServer(http.HandlerFunc(s.download))
	t.Cleanup(s.server.Close)
	authority := filepath.Join(dir, "ca.crt")
	if err := os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "krew")
	s.environment = append(p.Env(plane.Admin), "HOME="+dir, "KREW_ROOT="+root, "KREW_NO_UPGRADE_CHECK=1", "SSL_CERT_FILE="+authority,
		"PATH="+strings.Join([]string{filepath.Join(root, "bin"), s.bin, os.Getenv("PATH")}, string(os.PathListSeparator)),
		"GIT_AUTHOR_NAME=test", "GIT_AUTHOR_EMAIL=test@example.com", "GIT_COMMITTER_NAME=test", "GIT_COMMITTER_EMAIL=test@example.com")
	return s
}

func (s *krewScene) download(w http.ResponseWriter, r *http.Request) {
	archive, released := s.archives[r.URL.Path]
	if !released {
		http.NotFound(w, r)
		return
	}
	if _, err := w.Write(archive); err != nil {
		s.t.Error(err)
	}
}

// cloneIndex is a repository with the files of this one. Krew follows its branch.
func (s *krewScene) cloneIndex(name string) string {
	s.t.Helper()
	folder := filepath.Join(filepath.Dir(s.bin), name)
	s.git("clone", "-q", "--no-checkout", "../..", folder)
	s.git("-C", folder, "checkout", "-q", "-B", "main", "HEAD", "--")
	return folder
}

// release commits a manifest whose archives can be downloaded.
func (s *krewScene) release(index, tag string) {
	s.t.Helper()
	archive := s.archive()
	var checksums strings.Builder
	for _, platform := range []string{"linux_amd64.tar.gz", "linux_arm64.tar.gz", "darwin_amd64.tar.gz", "darwin_arm64.tar.gz", "windows_amd64.zip", "windows_arm64.zip"} {
		name := "kubectl-finalizers_" + tag + "_" + platform
		s.archives["/"+tag+"/"+name] = archive
		fmt.Fprintf(&checksums, "%x  %s\n", sha256.Sum256(archive), name)
	}
	template, err := os.ReadFile("../../.krew.yaml")
	if err != nil {
		s.t.Fatal(err)
	}
	manifest, err := krew.Manifest(string(template), tag, checksums.String())
	if err != nil {
		s.t.Fatal(err)
	}
	manifest = strings.ReplaceAll(manifest, released, s.server.URL+"/")
	if err := os.WriteFile(filepath.Join(index, "plugins", "finalizers.yaml"), []byte(manifest), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.git("-C", index, "commit", "-q", "--no-verify", "-a", "-m", "release "+tag)
}

// archive is the archive of a release, as far as Krew looks at it.
func (s *krewScene) archive() []byte {
	s.t.Helper()
	var archive bytes.Buffer
	compressed := gzip.NewWriter(&archive)
	files := tar.NewWriter(compressed)
	for name, source := range map[string]string{"kubectl-finalizers": plugin, "LICENSE": "../../LICENSE"} {
		content, err := os.ReadFile(source)
		if err != nil {
			s.t.Fatal(err)
		}
		if err := files.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(content))}); err != nil {
			s.t.Fatal(err)
		}
		if _, err := files.Write(content); err != nil {
			s.t.Fatal(err)
		}
	}
	if err := files.Close(); err != nil {
		s.t.Fatal(err)
	}
	if err := compressed.Close(); err != nil {
		s.t.Fatal(err)
	}
	return archive.Bytes()
}

// list runs the installed plugin on the control plane.
func (s *krewScene) list() {
	s.t.Helper()
	command := s.command("kubectl", "finalizers", "list", "-n", "kube-public", "-o", "json")
	out, err := command.Output()
	var list struct{ Kind string }
	if err := json.Unmarshal(out, &list); err != nil || list.Kind != "StuckList" {
		s.t.Errorf("the installed plugin prints %s: %v", out, err)
	}
	if err != nil {
		s.t.Errorf("the installed plugin ends with %v", err)
	}
}

// expectInstalled fails unless Krew has a version installed, and no other.
func (s *krewScene) expectInstalled(tag string) {
	s.t.Helper()
	installed, err := filepath.Glob(filepath.Join(filepath.Dir(s.bin), "krew", "store", "finalizers", "*"))
	if err != nil || len(installed) != 1 || filepath.Base(installed[0]) != tag {
		s.t.Errorf("Krew has installed %v, not only %s: %v", installed, tag, err)
	}
}

func (s *krewScene) expect(sentence string, args ...string) {
	s.t.Helper()
	if out := s.run(args...); !strings.Contains(out, sentence) {
		s.t.Errorf("kubectl %s does not say %q:\n%s", strings.Join(args, " "), sentence, out)
	}
}

func (s *krewScene) run(args ...string) string {
	s.t.Helper()
	out, err := s.command("kubectl", args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (s *krewScene) git(args ...string) {
	s.t.Helper()
	if out, err := s.command("git", args...).CombinedOutput(); err != nil {
		s.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func (s *krewScene) command(program string, args ...string) *exec.Cmd {
	path := program
	if program == "kubectl" {
		path = filepath.Join(s.bin, program)
	}
	command := exec.CommandContext(s.t.Context(), path, args...)
	command.Env = s.environment
	return command
}
