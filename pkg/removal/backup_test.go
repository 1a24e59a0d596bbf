package removal_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// TestBackupOfItsOwn holds that no run writes into the folder of another, not
// even within one second, and that long names fit.
func TestBackupOfItsOwn(t *testing.T) {
	parent, now := filepath.Join(t.TempDir(), "[a]"), time.Unix(1, 0)
	dirs := map[string]bool{}
	for range 3 {
		b, err := removal.NewBackup(parent, removal.Cluster{Context: "admin@prod/eu"}, now)
		if err != nil {
			t.Fatal(err)
		}
		if rel, err := filepath.Rel(parent, b.Dir); err != nil || !strings.HasPrefix(rel, "admin-prod-eu"+string(filepath.Separator)+"19700101T000001Z") {
			t.Errorf("the folder is %s (%v)", rel, err)
		}
		dirs[b.Dir] = true
		o := stuck.Object{Type: stuck.Type{Group: "example.com", Resource: "webs", Kind: "Web"}, Namespace: strings.Repeat("n", 63), Name: strings.Repeat("w", 253), UID: "u"}
		file, err := b.Save(o, deletingWeb(o.Name, nil))
		if err != nil || file.Omitted != "" || !strings.HasSuffix(file.Path, "_u.yaml") {
			t.Errorf("saved %+v: %v", file, err)
		}
		saved, _, err := removal.LoadSavedCopies(b.Dir)
		if err != nil || len(saved) != 1 || saved[0].Object.GetName() != o.Name {
			t.Errorf("read again: %v (%v)", saved, err)
		}
		if left, err := os.ReadDir(b.Dir); err != nil || len(left) != 1 {
			t.Errorf("the folder holds %v (%v)", left, err)
		}
	}
	if len(dirs) != 3 {
		t.Errorf("folders: %v", dirs)
	}
}

// deletingWeb is an object that is being deleted, whole.
func deletingWeb(name string, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Web", "spec": spec,
		"metadata": map[string]any{
			"name": name, "namespace": "shop", "uid": "u", "deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": []any{"example.com/hold"},
		},
	}}
}

// TestBackupKeepsEveryValue holds that a copy reads back as what was saved: numbers that a float cannot hold, and
// characters that YAML takes for something else, or does not allow.
func TestBackupKeepsEveryValue(t *testing.T) {
	b, err := removal.NewBackup(t.TempDir(), removal.Cluster{Context: "prod", Server: "https://one"}, time.Unix(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	full := deletingWeb("web", map[string]any{
		"big": int64(9007199254740993), "max": int64(math.MaxInt64), "neg": int64(-math.MaxInt64), "ids": []any{int64(1<<62 + 1)}, "ratio": 0.1,
		"nel": "a\u0085b", "c1": "\u009b31m", "del": "\u007f", "none": "\ufffe\uffff", "line": "a\u2028b", "esc": "\x1b[2J", "key\u0090": "x",
		"text": "a\n  b\t\n", "zero": "\u200b", "far": "\U000e0001", "smile": "\U0001f600", "yes": "yes", "empty": map[string]any{}, "nil": nil,
	})
	o := stuck.Object{Type: stuck.Type{Group: "example.com", Resource: "webs", Kind: "Web"}, Namespace: "shop", Name: "web", UID: "u"}
	file, err := b.Save(o, full)
	if err != nil {
		t.Fatal(err)
	}
	saved, _, err := removal.LoadSavedCopies(file.Path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(full.Object, saved[0].Object.Object); diff != "" {
		t.Errorf("what was saved is not what is read (-saved +read):\n%s", diff)
	}
	if saved[0].Verified {
		t.Error("a copy without a digest in the audit file is taken for a verified one")
	}
}

// TestBackupFolder holds that copies go to no folder that somebody else has prepared.
func TestBackupFolder(t *testing.T) {
	parent, elsewhere, now := t.TempDir(), t.TempDir(), time.Unix(1, 0)
	if err := os.Symlink(elsewhere, filepath.Join(parent, "linked")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Mkdir(filepath.Join(parent, "open"), 0o700), os.Chmod(filepath.Join(parent, "open"), 0o777)); err != nil {
		t.Fatal(err)
	}
	for context, want := range map[string]string{"linked": "symbolic link", "open": "other users may write"} {
		_, err := removal.NewBackup(parent, removal.Cluster{Context: context}, now)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("context %s: %v, want %s", context, err, want)
		}
	}
	for _, context := range []string{"..", ".", "", "../../x"} {
		b, err := removal.NewBackup(parent, removal.Cluster{Context: context}, now)
		if err != nil {
			t.Fatal(err)
		}
		if rel, err := filepath.Rel(parent, b.Dir); err != nil || strings.HasPrefix(rel, "..") || len(strings.Split(rel, string(filepath.Separator))) != 2 {
			t.Errorf("context %q: the folder is %s (%v)", context, rel, err)
		}
	}
	if found, err := os.ReadDir(elsewhere); err != nil || len(found) > 0 {
		t.Errorf("something was written to the target of a link: %v (%v)", found, err)
	}
}

// TestBackupTidiesUp holds that a later run removes what a killed one left, and nothing else.
func TestBackupTidiesUp(t *testing.T) {
	parent := t.TempDir()
	file := func(path ...string) string { return filepath.Join(append([]string{parent, "prod"}, path...)...) }
	for path, content := range map[string]string{
		file("20260101T000000Z", ".probe"):          "",
		file("20260101T000000Z", "audit.jsonl"):     "",
		file("20260102T000000Z-2", "a.yaml.half"):   "apiV",
		file("20260102T000000Z-2", "b.yaml"):        "kept",
		file("20260102T000000Z-2", "audit.jsonl"):   "{}",
		file("20260103T120000Z", "a.yaml.half"):     "under way",
		file("mine", "a.yaml.half"):                 "no run",
		file("20260101T000000Z.old", "audit.jsonl"): "",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := removal.NewBackup(parent, removal.Cluster{Context: "prod"}, time.Date(2026, 1, 4, 0, 0, 0, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	for path, kept := range map[string]bool{
		file("20260101T000000Z"): false, file("20260102T000000Z-2", "a.yaml.half"): false, file("20260102T000000Z-2", "b.yaml"): true,
		file("20260102T000000Z-2", "audit.jsonl"): true, file("20260103T120000Z", "a.yaml.half"): true, file("mine", "a.yaml.half"): true,
		file("20260101T000000Z.old", "audit.jsonl"): true,
	} {
		if _, err := os.Lstat(path); (err == nil) != kept {
			t.Errorf("%s: %v, want it kept: %t", path, err, kept)
		}
	}
}

// TestBackupFolderIsTakenAway lets another run, whose clock is two days ahead, take the folder of a run that waits at its prompt
// for one of a run that was killed: no copy can be saved then, and nothing is written.
func TestBackupFolderIsTakenAway(t *testing.T) {
	parent, now := t.TempDir(), time.Date(2026, 1, 4, 0, 0, 0, 0, time.UTC)
	waiting, err := removal.NewBackup(parent, removal.Cluster{Context: "prod"}, now)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := removal.NewBackup(parent, removal.Cluster{Context: "prod"}, now.Add(48*time.Hour)); err != nil {
		t.Fatal(err)
	}
	o := stuck.Object{Type: stuck.Type{Group: "example.com", Resource: "webs", Kind: "Web"}, Namespace: "shop", Name: "a", UID: "u"}
	if file, err := waiting.Save(o, deletingWeb(o.Name, nil)); err == nil {
		t.Errorf("it saved %s in a folder that is gone", file.Path)
	}
	again, err := removal.NewBackup(parent, removal.Cluster{Context: "prod"}, now)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := again.Save(o, deletingWeb(o.Name, nil)); err != nil {
		t.Error(err)
	}
}
