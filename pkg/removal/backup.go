package removal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/ownfile"
	"github.com/kubectl-finalizers/kubectl-finalizers/internal/yamltext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Backup is the folder of one run: a saved copy of each object that is written,
// and the audit file.
type Backup struct {
	Dir string
	// Cluster is where the objects are, which each copy says.
	Cluster Cluster

	syncs *syncGroup
}

// NewBackup makes the folder, which no other run has, and makes sure that it
// can be written to.
func NewBackup(parent string, c Cluster, now time.Time) (Backup, error) {
	clusterDir := ContextFolder(parent, c.Context)
	err := MakeFolder(clusterDir)
	if err == nil { // in a shared folder another user may have made it first
		err = ownfile.CheckFolder(clusterDir)
	}
	if err != nil {
		return Backup{}, fmt.Errorf("making the folder for saved copies: %w", err)
	}
	removeLeftovers(clusterDir, now)
	name := now.UTC().Format(runFolderLayout)
	b := Backup{Dir: filepath.Join(clusterDir, name), Cluster: c, syncs: &syncGroup{}}
	for n := 2; ; n++ {
		err := os.Mkdir(b.Dir, 0o700)
		if err == nil {
			break
		}
		if !errors.Is(err, os.ErrExist) {
			return Backup{}, fmt.Errorf("making the folder for saved copies: %w", err)
		}
		b.Dir = filepath.Join(clusterDir, fmt.Sprintf("%s-%d", name, n))
	}
	if err := b.write(probeFile, make([]byte, probeSize)); err != nil {
		return Backup{}, errors.Join(err, os.Remove(b.Dir))
	}
	return b, errors.Join(os.Remove(filepath.Join(b.Dir, probeFile)), syncFolder(clusterDir))
}

// MakeFolder makes a folder for the user alone, with those above it that do not exist, and makes sure that they outlast a crash.
func MakeFolder(dir string) error {
	var parents []string
	for missing := dir; ; missing = filepath.Dir(missing) {
		if _, err := os.Stat(missing); !errors.Is(err, os.ErrNotExist) {
			break
		}
		parents = append(parents, filepath.Dir(missing))
	}
	err := os.MkdirAll(dir, 0o700)
	for _, parent := range parents {
		if err == nil {
			err = syncFolder(parent)
		}
	}
	return err
}

// ContextFolder is the folder of a context's runs, which is always one below the given one.
func ContextFolder(parent, context string) string {
	if name := strings.TrimLeft(fileName(context), "."); name != "" {
		return filepath.Join(parent, name)
	}
	return filepath.Join(parent, "no-context")
}

// Discard removes the folder of a run in which nothing was written, with its audit file, which no other run has.
func (b Backup) Discard() error {
	audit := filepath.Join(b.Dir, AuditFile)
	if info, err := os.Stat(audit); err == nil && info.Size() == 0 {
		return errors.Join(os.Remove(audit), os.Remove(b.Dir))
	}
	return os.Remove(b.Dir)
}

// probeSize is more than a few lines of the audit file and one small copy, so
// that a disk that is full shows before anything is written to the cluster.
const probeSize = 16 << 10

// BackupFile is a copy that was saved.
type BackupFile struct {
	Path string
	// SHA256 is the digest of the file, which the audit file keeps.
	SHA256 string
	// Omitted is what was left out of it on purpose, in words.
	Omitted string
}

// Save keeps an object as it is before it is written, synced to the disk, and
// reads it back: what would be restored is what was there.
func (b Backup) Save(o stuck.Object, full *unstructured.Unstructured) (BackupFile, error) {
	full, omitted := withoutCredentials(full.DeepCopy())
	content, err := yamltext.Marshal(full.Object)
	if err != nil {
		return BackupFile{}, fmt.Errorf("saving %s: %w", o.Ref(), err)
	}
	content = append(backupHeader{Server: b.Cluster.Server, UID: b.Cluster.UID, Omitted: omitted}.bytes(), content...)
	name := fileName(strings.Join([]string{o.Type.String(), o.Namespace, o.Name}, "_"))
	name = name[:min(len(name), maxNameLength)] + "_" + fileName(string(o.UID)) + ".yaml"
	file := BackupFile{Path: filepath.Join(b.Dir, name), SHA256: sha256Hex(content), Omitted: omitted}
	if err := b.write(name, content); err != nil {
		return BackupFile{}, err
	}
	saved, err := readSavedCopy(file.Path)
	if err != nil {
		return BackupFile{}, fmt.Errorf("reading the saved copy back: %w", err)
	}
	if saved.sha256 != file.SHA256 || !yamltext.Equal(saved.Object.Object, full.Object) {
		return BackupFile{}, fmt.Errorf("reading the saved copy back: %s does not hold what was saved", file.Path)
	}
	return file, nil
}

// maxNameLength is how much of an object's name the name of its copy holds: file
// systems take 255 bytes, and the name of an object alone may have 253.
const maxNameLength = 200

// write writes a file that is there as a whole, or not at all.
func (b Backup) write(name string, content []byte) error {
	path := filepath.Join(b.Dir, name)
	temporary := path + partialExtension
	err := writeSynced(temporary, content)
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err == nil {
		err = b.syncs.sync(func() error { return syncFolder(b.Dir) })
	}
	if err != nil {
		_ = os.Remove(temporary) // the first error is the one to print
		return fmt.Errorf("saving a copy: %w", err)
	}
	return nil
}

func writeSynced(path string, content []byte) error {
	file, err := ownfile.Open(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
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
