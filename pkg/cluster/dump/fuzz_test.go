package dump_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/dump"
)

// fileMark begins the line that names a file in the text of several files.
const fileMark = "-- file "

// joinFiles are the small files of an archive, as one text.
func joinFiles(f *testing.F, archive io.Reader) string {
	f.Helper()
	var text strings.Builder
	for t := tar.NewReader(archive); ; {
		header, err := t.Next()
		if errors.Is(err, io.EOF) {
			return text.String()
		}
		if err != nil {
			f.Fatal(err)
		}
		if header.Size < 4<<10 && text.Len() < 16<<10 && header.Typeflag == tar.TypeReg {
			text.WriteString(fileMark + header.Name + "\n")
			if _, err := io.Copy(&text, t); err != nil { //nolint:gosec // G110: at most 4 KiB
				f.Fatal(err)
			}
			text.WriteString("\n")
		}
	}
}

// splitFiles are the files in a text of several, as an archive.
func splitFiles(t *testing.T, text string) []byte {
	t.Helper()
	var files []file
	for part := range strings.SplitSeq("\n"+text, "\n"+fileMark) {
		name, content, _ := strings.Cut(part, "\n")
		if name != "" && len(name) < 100 && !strings.Contains(name, "\x00") { // longer names have a form of their own
			files = append(files, file{name: name, content: content})
		}
	}
	return tarOf(t, files...)
}

// dumpTexts are the dumps of testdata, and a snapshot, each as a text of several files.
func dumpTexts(f *testing.F) []string {
	f.Helper()
	texts := []string{fileMark + "a/kubectl-finalizers/snapshot.json\n" + `{"kind": "Snapshot", "time": "2026-08-20T09:00:00Z", "types": [{"version": "v1", "resource": "pods", "kind": "Pod", "namespaced": true}],
"answers": [{"question": "scan pods /", "objects": ["shop/web", "shop/db"]}, {"question": "listtime pods shop/", "took": "4.2s"}, {"question": "probe pods shop/web", "error": {"code": 403}}]}` +
		"\n" + fileMark + "a/namespaces/shop/v1/pod/web.yaml\nkind: Pod\napiVersion: v1\nmetadata: {name: web, namespace: shop}\n"}
	folders, err := filepath.Glob("../../../testdata/dumps/*/dump")
	if err != nil || len(folders) == 0 {
		f.Fatalf("there are no dumps: %v", err)
	}
	for _, folder := range folders {
		var archive bytes.Buffer
		w := tar.NewWriter(&archive)
		if err := errors.Join(w.AddFS(os.DirFS(folder)), w.Close()); err != nil {
			f.Fatal(err)
		}
		texts = append(texts, joinFiles(f, &archive))
	}
	archives, err := filepath.Glob("../../../testdata/dumps/*/dump.tar.gz")
	if err != nil || len(archives) == 0 {
		f.Fatalf("there are no dumps that tools wrote: %v", err)
	}
	for _, archive := range archives {
		content, err := os.ReadFile(archive)
		if err != nil {
			f.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(content))
		if err != nil {
			f.Fatal(err)
		}
		texts = append(texts, joinFiles(f, z))
	}
	return texts
}

// FuzzFiles reads dumps of several files, in the layout of each tool: an error is one line, and what a dump holds is found in
// every way and under one name.
func FuzzFiles(f *testing.F) {
	for _, text := range dumpTexts(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		source, err := dump.Open("-", bytes.NewReader(splitFiles(t, text)), 1<<20)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\r\n\x1b") {
				t.Errorf("the error is not one line: %q", err)
			}
			return
		}
		types, gaps, err := source.Types(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, gap := range gaps {
			if gap.Source == "" || gap.Error == "" {
				t.Errorf("a gap says too little: %+v", gap)
			}
		}
		seen := map[string]bool{}
		for _, typ := range types {
			if seen[typ.String()] {
				t.Errorf("there are two types %s", typ)
			}
			seen[typ.String()] = true
			// What the dump does not hold is an error, and no harm.
			_, _ = source.Serves(t.Context(), typ)
			_, _ = source.ListTime(t.Context(), typ, "shop")
			_, _ = source.MayPatch(t.Context(), typ, "shop", "web")
		}
		if !source.HasAnswers() { // a snapshot has of some objects no more than a scan keeps
			readAll(t, source, types)
		}
		_, _ = source.Metrics(t.Context())
		_, _ = source.Version(t.Context())
		for _, alarm := range source.EtcdAlarms() {
			if alarm.Type == "" {
				t.Errorf("an alarm says nothing: %+v", alarm)
			}
		}
	})
}
