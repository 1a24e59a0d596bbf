package removal

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Backup is the folder of one run: a saved copy of each object that was
// written, and a line for each write.
type Backup struct{ Dir string }

// NewBackup makes the folder, and makes sure that it can be written to.
func NewBackup(parent, context string, now time.Time) (Backup, error) {
	dir := filepath.Join(parent, fileName(context), now.UTC().Format("20060102T150405Z"))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Backup{}, fmt.Errorf("making the folder for saved copies: %w", err)
	}
	b := Backup{Dir: dir}
	if err := b.write(".probe", []byte("x")); err != nil {
		return Backup{}, err
	}
	return b, os.Remove(filepath.Join(dir, ".probe"))
}

// Save keeps an object as it is before it is written, synced to the disk.
// It returns the file.
func (b Backup) Save(o stuck.Object, whole *unstructured.Unstructured) (string, error) {
	whole = withoutCredentials(whole.DeepCopy())
	content, err := yaml.Marshal(whole.Object)
	if err != nil {
		return "", fmt.Errorf("saving %s: %w", o.Ref(), err)
	}
	name := fileName(strings.Join([]string{o.Type.String(), o.Namespace, o.Name, string(o.UID)}, "_")) + ".yaml"
	return filepath.Join(b.Dir, name), b.write(name, content)
}

func (b Backup) write(name string, content []byte) error {
	file, err := os.OpenFile(filepath.Join(b.Dir, name), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("saving a copy: %w", err)
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("saving a copy in %s: %w", b.Dir, err)
	}
	return nil
}

// fileName leaves of a text what every file system takes.
func fileName(text string) string {
	return regexp.MustCompile(`[^A-Za-z0-9._-]`).ReplaceAllString(text, "-")
}

// credential is the name of an entry of a ConfigMap that somebody should have
// kept in a Secret.
var credential = regexp.MustCompile(`(?i)password|passwd|token|secret|credential|kubeconfig|private|\.key$|\.pem$`)

// withoutCredentials takes out what must not lie on a disk. The contents of a
// Secret were never read in the first place.
func withoutCredentials(o *unstructured.Unstructured) *unstructured.Unstructured {
	if o.GetKind() != "ConfigMap" || o.GetAPIVersion() != "v1" {
		return o
	}
	for _, field := range []string{"data", "binaryData"} {
		entries, _, _ := unstructured.NestedMap(o.Object, field)
		for name := range entries {
			if credential.MatchString(name) {
				unstructured.RemoveNestedField(o.Object, field, name)
			}
		}
	}
	return o
}
