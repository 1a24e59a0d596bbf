package schema_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/dump"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/snapshot"
)

// TestSnapshotsFitTheirSchema validates the document in the snapshot of every story, redacted and not.
func TestSnapshotsFitTheirSchema(t *testing.T) {
	stories, err := recording.AllScenarios(filepath.Join(root, "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	known, err := loadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	for _, story := range stories {
		t.Run(story.Name, func(t *testing.T) {
			t.Parallel()
			source, err := story.Source()
			if err != nil {
				t.Fatal(err)
			}
			recorder := snapshot.NewRecorder(source)
			run(t, recorder, append([]string{"explain"}, story.Explain...)...)
			redaction, err := recorder.NewRedaction(known)
			if err != nil {
				t.Fatal(err)
			}
			for _, options := range []snapshot.Options{{}, {Redaction: redaction}} {
				validate(t, snapshotDocument(t, recorder, options))
			}
		})
	}
}

// snapshotDocument is the document in a snapshot.
func snapshotDocument(t *testing.T, recorder *snapshot.Recorder, options snapshot.Options) string {
	t.Helper()
	var archive bytes.Buffer
	if _, err := recorder.Write(&archive, "snapshot", options); err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(&archive)
	if err != nil {
		t.Fatal(err)
	}
	for files := tar.NewReader(z); ; {
		header, err := files.Next()
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(header.Name, "/"+dump.SnapshotFile) {
			content, err := io.ReadAll(files)
			if err != nil {
				t.Fatal(err)
			}
			return string(content)
		}
	}
}
