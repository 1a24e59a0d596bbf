package removal

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestSavedRuns finds the runs of all contexts and of one, the newest first.
func TestSavedRuns(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, file := range []string{
		"prod/20261120T071128Z/a.yaml", "prod/20261120T071128Z/b.yaml", "prod/20261120T071128Z/audit.jsonl",
		"prod/20261121T071128Z/a.yaml", "prod/20261121T071128Z-2/a.yaml", "prod/20261121T071128Z-10/a.yaml", "prod/20261122T071128Z/audit.jsonl",
		"stage/20261121T000000Z/a.yaml", "prod/notes/a.yaml", "stage/b.yaml",
	} {
		path := filepath.Join(root, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for dir, want := range map[string][]string{
		".":                     {"prod/20261121T071128Z-10", "prod/20261121T071128Z-2", "prod/20261121T071128Z", "stage/20261121T000000Z", "prod/20261120T071128Z"},
		"prod":                  {"prod/20261121T071128Z-10", "prod/20261121T071128Z-2", "prod/20261121T071128Z", "prod/20261120T071128Z"},
		"prod/20261120T071128Z": nil,
	} {
		runs, err := SavedRuns(filepath.Join(root, dir))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range runs {
			rel, err := filepath.Rel(root, r.Dir)
			if err != nil || r.Context != filepath.Base(filepath.Dir(r.Dir)) || r.Copies == 0 {
				t.Errorf("%+v (%v)", r, err)
			}
			got = append(got, rel)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", dir, got, want)
		}
	}
}
