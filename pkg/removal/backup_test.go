package removal_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
		full := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Web", "metadata": map[string]any{"name": o.Name}}}
		file, omitted, err := b.Save(o, full)
		if err != nil || omitted != "" || !strings.HasSuffix(file, "_u.yaml") {
			t.Errorf("saved %s without %q: %v", file, omitted, err)
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
