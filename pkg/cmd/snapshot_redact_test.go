package cmd_test

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/dump"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/snapshot"
)

// TestRedactedSnapshotsExplainAsTheCluster holds that list and explain print of a redacted snapshot what they print of
// the cluster, with pseudonyms in place of names, for every story.
func TestRedactedSnapshotsExplainAsTheCluster(t *testing.T) {
	emptyHome(t)
	stories, err := recording.AllScenarios("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	known, err := catalogOnce()
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
			recorder := snapshot.NewRecorder(withManagers{source})
			lines := story.GoldenFiles()["screen.txt"]
			live := runLines(t, recorder, lines)
			redaction, err := recorder.NewRedaction(known)
			if err != nil {
				t.Fatal(err)
			}
			file := writeSnapshot(t, recorder, snapshot.Options{Redaction: redaction})
			wantNoNames(t, redaction, snapshotFiles(t, writeSnapshot(t, recorder, snapshot.Options{})), snapshotFiles(t, file))
			from, err := dump.Open(file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			var redacted [][]string
			for _, line := range lines {
				var args []string
				for _, arg := range line {
					typ, name, _ := strings.Cut(arg, "/")
					if name != "" {
						arg = typ + "/" + redaction.Text(name)
					} else {
						arg = redaction.Text(arg)
					}
					args = append(args, arg)
				}
				redacted = append(redacted, args)
			}
			screen := original(redaction, live, runLines(t, from, redacted))
			if !sameWords(live, screen) {
				t.Errorf("from the snapshot (-live +snapshot):\n%s", gocmp.Diff(strings.Fields(live), strings.Fields(screen)))
			}
		})
	}
}

// TestRedactFlag makes a redacted snapshot as a user does, and lists from it.
func TestRedactFlag(t *testing.T) {
	emptyHome(t)
	story, source := storyOfClaim(t)
	file := filepath.Join(t.TempDir(), "case.tar.gz")
	var out, errOut bytes.Buffer
	if code := program(source, &out, &errOut).Run(t.Context(), append([]string{"snapshot", "--redact", "-o", file}, story.List...)); code != 0 || !strings.Contains(errOut.String(), "redacted: the names") {
		t.Fatalf("it ended with %d: %s%s", code, &out, &errOut)
	}
	listed, _, code := runFrom(t, "", "list", "--from", file)
	if code != 0 || !strings.Contains(listed, "Blocked") || strings.Contains(listed, "database") {
		t.Errorf("it ended with %d: %s", code, listed)
	}
}

// sameWords reports whether two screens have the same words. Columns and lines are as long as the names in them. So are
// the sizes of objects, and where a long message is cut off.
func sameWords(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0] == y[0], len(x) > 1 && len(y) > 1 && x[1] == "bytes" && y[1] == "bytes":
			x, y = x[1:], y[1:]
		default:
			i, j := slices.IndexFunc(x, isCutOff), slices.IndexFunc(y, isCutOff)
			if i < 0 || j < 0 || i > 6 || j > 6 {
				return false
			}
			x, y = x[i+1:], y[j+1:]
		}
	}
	return len(x) == len(y)
}

func isCutOff(word string) bool { return strings.HasSuffix(word, "...") }

var word = regexp.MustCompile(`[0-9A-Za-z]+`)

// original is a screen with the names in place of their pseudonyms. Each of the names is on the other screen.
func original(redaction *snapshot.Redaction, live, screen string) string {
	names := map[string]string{}
	for _, each := range word.FindAllString(live, -1) {
		names[redaction.Text(each)] = each
	}
	return word.ReplaceAllStringFunc(screen, func(each string) string { return cmp.Or(names[each], each) })
}

func writeSnapshot(t *testing.T, recorder *snapshot.Recorder, options snapshot.Options) (path string) {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "*.tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := recorder.Write(f, "snapshot", options); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

// snapshotFiles are the files of a snapshot by their paths.
func snapshotFiles(t *testing.T, path string) map[string][]byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // it was only read
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for files := tar.NewReader(z); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err == nil {
			out[header.Name], err = io.ReadAll(files)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

type rule struct{ APIGroups, Resources []string }

// wantNoNames expects that no name of an object or a namespace is in the files or the paths of a redacted snapshot, but
// for those that stay.
func wantNoNames(t *testing.T, redaction *snapshot.Redaction, plain, redacted map[string][]byte) {
	t.Helper()
	names := map[string]bool{}
	kept := []string{"rbac-defaults"} // and API groups, types and finalizers
	for _, content := range plain {
		var object struct {
			Metadata struct {
				Namespace, Name string
				Finalizers      []string
			}
			Types    []struct{ Group, Resource, Singular string }
			Rules    []rule // of roles and of webhooks, which may name types that are not served
			Webhooks []struct{ Rules []rule }
			Watches  []struct{ Group, Resource string }
		}
		if err := json.Unmarshal(content, &object); err != nil {
			continue // the timestamp
		}
		names[object.Metadata.Namespace], names[object.Metadata.Name] = true, true
		kept = append(kept, object.Metadata.Finalizers...)
		for _, each := range object.Types {
			kept = append(kept, each.Group, each.Resource, each.Singular)
		}
		for _, webhook := range object.Webhooks {
			object.Rules = append(object.Rules, webhook.Rules...)
		}
		for _, each := range object.Rules {
			kept = append(kept, slices.Concat(each.APIGroups, each.Resources)...)
		}
		for _, each := range object.Watches {
			kept = append(kept, each.Group, each.Resource)
		}
	}
	slices.SortFunc(kept, func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) })
	var all strings.Builder
	for path, content := range redacted {
		all.WriteString(path + "\n" + string(content) + "\n")
	}
	text := all.String()
	for _, phrase := range slices.Compact(kept) {
		if phrase != "" {
			text = strings.ReplaceAll(text, phrase, "")
		}
	}
	for name := range names {
		if redaction.Text(name) == name {
			continue
		}
		if !strings.Contains(text, name) {
			continue
		}
		isolated := regexp.MustCompile(`(^|[^0-9A-Za-z])` + regexp.QuoteMeta(name) + `($|[^0-9A-Za-z])`)
		if found := isolated.FindStringIndex(text); found != nil {
			t.Errorf("%s is in the snapshot: %s", name, text[max(0, found[0]-60):min(len(text), found[1]+60)])
		}
	}
}
