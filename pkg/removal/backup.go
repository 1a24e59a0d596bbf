package removal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Backup is the folder of one run: a saved copy of each object that was
// written, and a line for each write.
type Backup struct{ Dir string }

// NewBackup makes the folder, which no other run has, and makes sure that it
// can be written to.
func NewBackup(parent, context string, now time.Time) (Backup, error) {
	above := filepath.Join(parent, fileName(context))
	if err := os.MkdirAll(above, 0o700); err != nil {
		return Backup{}, fmt.Errorf("making the folder for saved copies: %w", err)
	}
	name := now.UTC().Format("20060102T150405Z")
	b := Backup{Dir: filepath.Join(above, name)}
	for n := 2; ; n++ {
		err := os.Mkdir(b.Dir, 0o700)
		if err == nil {
			break
		}
		if !errors.Is(err, os.ErrExist) {
			return Backup{}, fmt.Errorf("making the folder for saved copies: %w", err)
		}
		b.Dir = filepath.Join(above, fmt.Sprintf("%s-%d", name, n))
	}
	if err := b.write(".probe", make([]byte, probeSize)); err != nil {
		return Backup{}, err
	}
	return b, errors.Join(os.Remove(filepath.Join(b.Dir, ".probe")), syncFolder(above))
}

// probeSize is more than one line of the audit file and one small copy, so that
// a disk that is full shows before anything is written to the cluster.
const probeSize = 16 << 10

// Save keeps an object as it is before it is written, synced to the disk.
// It returns the file, and what was left out of it in words.
func (b Backup) Save(o stuck.Object, whole *unstructured.Unstructured) (file, omitted string, err error) {
	whole, omitted = withoutCredentials(whole.DeepCopy())
	content, err := yaml.Marshal(whole.Object)
	if err != nil {
		return "", "", fmt.Errorf("saving %s: %w", o.Ref(), err)
	}
	if omitted != "" {
		content = append([]byte(notSaved+omitted+"\n"), content...)
	}
	name := fileName(strings.Join([]string{o.Type.String(), o.Namespace, o.Name}, "_"))
	name = name[:min(len(name), longest)] + "_" + fileName(string(o.UID)) + ".yaml"
	return filepath.Join(b.Dir, name), omitted, b.write(name, content)
}

// longest is how much of an object's name the name of its copy holds: file
// systems take 255 bytes, and the name of an object alone may have 253.
const longest = 200

// notSaved begins the line of a saved copy that says what is not in it.
const notSaved = "# not saved: "

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
	if err == nil {
		err = syncFolder(b.Dir)
	}
	if err != nil {
		return fmt.Errorf("saving a copy in %s: %w", b.Dir, err)
	}
	return nil
}

// syncFolder makes sure that a folder's new entries outlast a crash.
func syncFolder(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// fileName leaves of a text what every file system takes.
func fileName(text string) string {
	return regexp.MustCompile(`[^A-Za-z0-9._-]`).ReplaceAllString(text, "-")
}

// credential is the name of an entry of a ConfigMap that somebody should have
// kept in a Secret.
var credential = regexp.MustCompile(`(?i)password|passwd|token|secret|credential|kubeconfig|private|\.key$|\.pem$`)

// lastApplied is where kubectl apply keeps all of an object as it was applied,
// a Secret's data included.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// withoutCredentials takes out what must not lie on a disk, and says so. The
// contents of a Secret were never read in the first place.
func withoutCredentials(o *unstructured.Unstructured) (kept *unstructured.Unstructured, omitted string) {
	if o.GetAPIVersion() != "v1" {
		return o, ""
	}
	switch o.GetKind() {
	case "Secret":
		unstructured.RemoveNestedField(o.Object, "metadata", "annotations", lastApplied)
		return o, "the data of a Secret"
	case "ConfigMap":
		left := leftOut(o)
		if len(left) > 0 {
			unstructured.RemoveNestedField(o.Object, "metadata", "annotations", lastApplied)
			return o, "the entries " + strings.Join(left, ", ")
		}
	}
	return o, ""
}

// leftOut takes the entries out of a ConfigMap that look like credentials.
func leftOut(o *unstructured.Unstructured) []string {
	var left []string
	for _, field := range []string{"data", "binaryData"} {
		entries, _, _ := unstructured.NestedMap(o.Object, field) // whatever else it is, it has no entries
		for name := range entries {
			if credential.MatchString(name) {
				unstructured.RemoveNestedField(o.Object, field, name)
				left = append(left, name)
			}
		}
	}
	slices.Sort(left)
	return left
}
