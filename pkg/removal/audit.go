package removal

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Audit appends a line of JSON for each write to a file of the backup folder.
type Audit struct {
	mu   sync.Mutex
	path string
}

// Entry is one line.
type Entry struct {
	Time       string   `json:"time"`
	User       string   `json:"user"`
	Cluster    string   `json:"cluster"`
	Object     string   `json:"object"`
	Namespace  string   `json:"namespace,omitempty"`
	UID        string   `json:"uid"`
	Finalizers []string `json:"finalizers"`
	Verdict    string   `json:"verdict"`
	Overrides  []string `json:"overrides"`
	Result     string   `json:"result"`
}

// NewAudit is the audit file of a backup folder.
func NewAudit(b Backup) *Audit { return &Audit{path: filepath.Join(b.Dir, "audit.jsonl")} }

// Append writes one line and syncs it.
func (a *Audit) Append(e Entry, now time.Time) error {
	e.Time = now.UTC().Format(time.RFC3339)
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	file, err := os.OpenFile(a.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("writing the audit file: %w", err)
	}
	defer file.Close()
	if _, err := file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("writing the audit file: %w", err)
	}
	return file.Sync()
}
