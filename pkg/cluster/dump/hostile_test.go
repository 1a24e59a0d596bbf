package dump_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/dump"
)

const pod = `{"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "shop", "name": "web", "uid": "1", "creationTimestamp": "2026-08-20T09:00:00Z"}}`

// file is an entry of an archive.
type file struct {
	name, content string
	kind          byte
}

func tarOf(t *testing.T, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		header := &tar.Header{Name: f.name, Typeflag: tar.TypeReg, Mode: 0o600, Size: int64(len(f.content))}
		if f.kind != 0 {
			header.Typeflag, header.Size, header.Linkname = f.kind, 0, f.content
		}
		if err := w.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if f.kind == 0 {
			if _, err := w.Write([]byte(f.content)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipped(t *testing.T, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipOf(t *testing.T, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		entry, err := w.Create(f.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := entry.Write([]byte(f.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestHostileDumps holds that what no tool writes is one clear line, without much memory or time.
func TestHostileDumps(t *testing.T) {
	whole := gzipped(t, tarOf(t, file{name: "a.json", content: strings.Repeat(" ", 100_000) + pod}))
	many := make([]file, 20_000)
	for i := range many {
		many[i] = file{name: fmt.Sprintf("%d.txt", i)}
	}
	list := func(n int) string {
		return `{"kind": "List", "items": [` + strings.Repeat(pod+",", n-1) + pod + `]}`
	}
	for name, test := range map[string]struct {
		content []byte
		limit   int64
		want    string
	}{
		"absolute path":      {tarOf(t, file{name: "/etc/passwd.json", content: pod}), 0, "leads out of it"},
		"path upwards":       {tarOf(t, file{name: "a/../../b.json", content: pod}), 0, "leads out of it"},
		"backslashes":        {zipOf(t, file{name: `..\b.json`, content: pod}), 0, "leads out of it"},
		"compressed bomb":    {gzipped(t, tarOf(t, file{name: "a.log", content: strings.Repeat("\x00", 64<<20)})), 32 << 20, "raise --from-limit (now 32Mi)"},
		"bomb in a zip":      {zipOf(t, file{name: "a.json", content: strings.Repeat(" ", 64<<20)}), 32 << 20, "larger than 16Mi"},
		"many files":         {tarOf(t, many...), 100 << 20, "more than 12800 files"},
		"many objects":       {[]byte(list(3000)), 32 << 20, "more than 2048 objects"},
		"one large object":   {[]byte(`{"kind": "Pod", "spec": "` + strings.Repeat("a", 17<<20) + `"}`), 0, "larger than 16Mi"},
		"one large document": {[]byte("kind: Pod\nspec: " + strings.Repeat("a", 17<<20)), 0, "larger than 16Mi"},
		"aliases":            {[]byte("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"), 0, "YAML alias"},
		"merged keys":        {[]byte("a: &a {b: c}\nd:\n  <<: *a\n"), 0, "a key is no text"},
		"deep YAML":          {[]byte("a: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000)), 0, "nested deeper"},
		"deep JSON":          {[]byte(`{"a": ` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "}"), 0, "exceeded max depth"},
		"same key twice":     {[]byte(`{"kind": "Pod", "metadata": {"name": "a", "name": "b"}}`), 0, "duplicate field"},
		"items twice":        {[]byte(`{"kind": "List", "items": [], "items": []}`), 0, "items twice"},
		"truncated archive":  {whole[:len(whole)-20], 0, "was not copied to its end"},
		"damaged archive":    {append(bytes.Clone(whole[:len(whole)-8]), 1, 2, 3, 4, 5, 6, 7, 8), 0, "damaged"},
		"truncated zip":      {zipOf(t, file{name: "a.json", content: pod})[:60], 0, "damaged"},
		"UTF-16":             {[]byte("\xff\xfe{\x00}\x00"), 0, "it is UTF-16"},
		"nothing":            {nil, 0, "it has no objects"},
		"a text":             {[]byte("The connection to the server was refused\n"), 0, "neither an object nor a list"},
		"no objects":         {[]byte(`{"kind": "Status", "status": "Failure"}`), 0, "it has no objects"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "dump")
			if err := os.WriteFile(path, test.content, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := dump.Open(path, nil, test.limit)
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

// What can be read of a half-written file is used, and that something may be missing is a gap.
func TestHalfWrittenFile(t *testing.T) {
	source, err := dump.Open("-", strings.NewReader(`{"kind": "List", "items": [`+pod+`, {"kind": "Po`), 0)
	if err != nil {
		t.Fatal(err)
	}
	_, gaps, err := source.Types(t.Context())
	if err != nil || len(gaps) == 0 || gaps[0].Error != "unexpected EOF" || !strings.Contains(gaps[0].Source, "standard input") {
		t.Errorf("%+v, %v", gaps, err)
	}
}

// Links in a dump lead nowhere: what is behind them is not read.
func TestLinksAreNotFollowed(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside.json")
	folder := t.TempDir()
	err := os.WriteFile(outside, []byte(pod), 0o600)
	if err == nil {
		err = os.Symlink(outside, filepath.Join(folder, "a.json"))
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dump.Open(folder, nil, 0); err == nil || !strings.Contains(err.Error(), "it has no objects") {
		t.Errorf("a link in a folder: %v", err)
	}
	archive := tarOf(t, file{name: "a.json", content: outside, kind: tar.TypeSymlink}, file{name: "b.json", content: outside, kind: tar.TypeLink})
	if _, err := dump.Open("-", bytes.NewReader(archive), 0); err == nil || !strings.Contains(err.Error(), "it has no objects") {
		t.Errorf("links in an archive: %v", err)
	}
	if _, err := dump.Open("-", bytes.NewReader(zipOf(t, file{name: "a.json", content: pod})), 0); err == nil || !strings.Contains(err.Error(), "save it to a file first") {
		t.Errorf("a zip in a stream: %v", err)
	}
}

// FuzzOpen holds that no content of a file ends the program.
func FuzzOpen(f *testing.F) {
	for _, seed := range []string{
		pod, `{"kind": "PodList", "items": [` + pod + `]}`, "[" + pod + "]", "kind: List\nitems:\n- kind: Pod\n  metadata: {name: a}\n",
		"items:\n  - kind: Pod\n    metadata:\n      name: a\n\n---\nkind: Pod\n", "a: &a [*a]", "null", "items: []\n", "- a\n", "\x1f\x8b", "PK\x03\x04",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		source, err := dump.Open("-", bytes.NewReader(content), 1<<20)
		if err != nil {
			return
		}
		types, _, err := source.Types(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		readAll(t, source, types)
	})
}
