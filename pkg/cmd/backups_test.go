package cmd

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestBackupsFolder holds that copies do not land in whatever folder one happens to stand in.
func TestBackupsFolder(t *testing.T) {
	home := t.TempDir()
	for state, want := range map[string]string{
		"":          filepath.Join(home, ".local", "state", "kubectl-finalizers"),
		"state":     filepath.Join(home, ".local", "state", "kubectl-finalizers"),
		"/srv/mine": "/srv/mine/kubectl-finalizers",
	} {
		t.Setenv("HOME", home)
		t.Setenv("XDG_STATE_HOME", state)
		if got, err := backupRoot(""); err != nil || got != want {
			t.Errorf("XDG_STATE_HOME=%q: copies go to %s (%v), want %s", state, got, err, want)
		}
	}
	t.Setenv("HOME", "")
	t.Setenv("XDG_STATE_HOME", "")
	if _, err := backupRoot(""); err == nil || !strings.Contains(err.Error(), "set HOME or XDG_STATE_HOME") {
		t.Errorf("without a home folder: %v", err)
	}
}
