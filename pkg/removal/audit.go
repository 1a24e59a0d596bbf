package removal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/ownfile"
)

// Audit is the file in which each write has two lines of JSON: one before it is
// sent, and one with its result. So a write is on record even if the program was killed
// before it had the answer.
type Audit struct {
	// Cluster and User say where, and as whom.
	Cluster Cluster
	User    string
	Now     func() time.Time

	mu   sync.Mutex
	file *os.File
	// incompleteLine says that the last line may have no end: the disk was full, or the
	// program that wrote it was killed.
	incompleteLine bool
	// lost is why the result of a write could not be recorded.
	lost error

	syncs syncGroup
}

// AuditEntry is one line.
type AuditEntry struct {
	Time string `json:"time"`
	User string `json:"user"`
	// Cluster is the URL of its API server, and ClusterUID the uid of its
	// namespace kube-system, empty if that could not be read.
	Cluster    string   `json:"cluster"`
	ClusterUID string   `json:"clusterUID,omitempty"`
	Object     string   `json:"object"`
	Namespace  string   `json:"namespace,omitempty"`
	UID        string   `json:"uid,omitempty"`
	Finalizers []string `json:"finalizers"`
	Verdict    string   `json:"verdict,omitempty"`
	Overrides  []string `json:"overrides"`
	// Request is the write: its verb and its path.
	Request string `json:"request"`
	// Copy is the file of the copy that was saved before the write, and
	// CopySHA256 the digest of that file.
	Copy       string `json:"copy,omitempty"`
	CopySHA256 string `json:"copySHA256,omitempty"`
	// Result is "begun" before the write, and how it ended after it.
	Result string `json:"result"`
}

// AuditFile is the name of the audit file in its folder.
const AuditFile = "audit.jsonl"

// AuditBegun is the result of a write that has none yet.
const AuditBegun = "begun"

// OpenAudit opens the audit file of a folder, and makes sure that it can be
// written to, and that it is no other file under its name.
func OpenAudit(dir string) (*Audit, error) {
	file, err := ownfile.Open(filepath.Join(dir, AuditFile), os.O_CREATE|os.O_RDWR|os.O_APPEND)
	if err != nil {
		return nil, fmt.Errorf("opening the audit file: %w", err)
	}
	a := &Audit{file: file}
	if a.incompleteLine, err = endsIncomplete(file); err == nil {
		err = syncFolder(dir)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening the audit file: %w", err), file.Close())
	}
	return a, nil
}

// endsIncomplete reports whether the last line of a file has no end.
func endsIncomplete(file *os.File) (bool, error) {
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return false, err
	}
	last := make([]byte, 1)
	_, err = file.ReadAt(last, info.Size()-1)
	return last[0] != '\n', err
}

// AppendResult records how a write ended. It is too late to do anything about a failure: Close returns it.
func (a *Audit) AppendResult(e AuditEntry, result string) {
	if err := a.Append(e, result); err != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.lost = fmt.Errorf("the result of a write is not recorded: %w", err)
	}
}

// Append writes one line and syncs it.
func (a *Audit) Append(e AuditEntry, result string) error {
	e.Time, e.Result = a.Now().UTC().Format(time.RFC3339), result
	e.Cluster, e.ClusterUID, e.User = a.Cluster.Server, a.Cluster.UID, a.User
	e.Finalizers, e.Overrides = append([]string{}, e.Finalizers...), append([]string{}, e.Overrides...)
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("writing the audit file: %w", err)
	}
	if err = a.write(append(line, '\n')); err == nil {
		err = a.syncs.sync(a.file.Sync)
	}
	if err != nil {
		return fmt.Errorf("writing the audit file: %w", err)
	}
	return nil
}

func (a *Audit) write(line []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.incompleteLine {
		line = append([]byte{'\n'}, line...)
	}
	n, err := a.file.Write(line)
	if n > 0 {
		a.incompleteLine = line[n-1] != '\n'
	}
	return err
}

// Close closes the file, and says whether a result could not be recorded. A file in which nothing was written stays: another run may have it open, and what that writes
// to a file without a name is lost.
func (a *Audit) Close() error { return errors.Join(a.lost, a.file.Close()) }
