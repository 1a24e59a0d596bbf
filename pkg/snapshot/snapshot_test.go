package snapshot_test

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
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/dump"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/snapshot"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var (
	configMaps = stuck.Type{Version: "v1", Resource: "configmaps", Kind: "ConfigMap", Namespaced: true, Listable: true}
	secrets    = stuck.Type{Version: "v1", Resource: "secrets", Kind: "Secret", Namespaced: true, Listable: true}
)

func object(kind, name string) map[string]any {
	return map[string]any{
		"apiVersion": "v1", "kind": kind, "data": map[string]any{"key": "hunter2"},
		"metadata": map[string]any{"namespace": "shop", "name": name, "uid": name, "annotations": map[string]any{
			"kubectl.kubernetes.io/last-applied-configuration": `{"data": {"key": "hunter2"}}`,
			"kapp.k14s.io/original":                            `{"data": {"key": "hunter2"}}`, "example.com/kept": strings.Repeat("hunter2 ", 100),
		}},
	}
}

// record makes a snapshot of a cluster with a ConfigMap and a Secret, and returns what its files
// hold.
func record(t *testing.T, options snapshot.Options) (archive []byte, text string) {
	t.Helper()
	source := (&recording.Recording{Time: time.Date(2026, 8, 21, 17, 13, 0, 0, time.UTC), Version: "v1.37.1", Answers: []recording.Answer{
		{Question: "list configmaps in shop", Objects: []map[string]any{object("ConfigMap", "a"), object("ConfigMap", `..`)}},
		{Question: "metadata of secrets/key in shop", Objects: []map[string]any{object("Secret", "key")}},
		{Question: "list configmaps in other", Failure: "no route to host"},
	}}).Source([]stuck.Type{configMaps, secrets})
	r := snapshot.NewRecorder(source)
	_, _, err := r.Types(t.Context())
	_, versionErr := r.Version(t.Context())
	listErr := r.List(t.Context(), configMaps, cluster.Selection{Namespace: "shop"}, func(unstructured.Unstructured) {})
	_, metadataErr := r.Metadata(t.Context(), secrets, "shop", "key")
	if err := errors.Join(err, versionErr, listErr, metadataErr); err != nil {
		t.Fatal(err)
	}
	if r.List(t.Context(), configMaps, cluster.Selection{Namespace: "other"}, func(unstructured.Unstructured) {}) == nil {
		t.Error("a list fails, and its error is lost")
	}
	var b bytes.Buffer
	summary, err := r.Write(&b, "snap", options)
	if err != nil || summary != (snapshot.Summary{Objects: 3, Whole: 2, Failed: 1}) {
		t.Errorf("%+v, %v", summary, err)
	}
	z, err := gzip.NewReader(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for files := tar.NewReader(z); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return b.Bytes(), all.String()
		}
		if err != nil || strings.Contains(header.Name, "/..") {
			t.Fatalf("%s: %v", header.Name, err)
		}
		content, err := io.ReadAll(files)
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(header.Name + "\n" + string(content) + "\n")
	}
}

func TestSnapshotHoldsNoSecrets(t *testing.T) {
	if _, text := record(t, snapshot.Options{}); strings.Contains(text, "hunter2") {
		t.Errorf("a secret is in it:\n%s", text)
	}
	if _, text := record(t, snapshot.Options{ConfigMapValues: true}); strings.Count(text, "hunter2") != 2 {
		t.Errorf("the values of ConfigMaps were asked for, and of nothing else:\n%s", text)
	}
}

// What a snapshot was not asked, it does not know; what follows from its lists, it does.
func TestSnapshotAnswers(t *testing.T) {
	archive, _ := record(t, snapshot.Options{})
	source, err := dump.Open("-", bytes.NewReader(archive), 0)
	if err != nil {
		t.Fatal(err)
	}
	get := func(namespace, name string) error {
		_, err := source.Get(t.Context(), configMaps, namespace, name)
		return err
	}
	if err := get("shop", "a"); err != nil {
		t.Error(err)
	}
	if err := get("shop", "b"); !cluster.IsObjectNotFound(err) {
		t.Errorf("the list does not hold it: %v", err)
	}
	if err := get("other", "a"); err == nil || cluster.IsObjectNotFound(err) {
		t.Errorf("the list failed: %v", err)
	}
	if _, err := source.Metadata(t.Context(), secrets, "shop", "other"); err == nil || cluster.IsObjectNotFound(err) {
		t.Errorf("nobody asked: %v", err)
	}
	if m, err := source.Metadata(t.Context(), secrets, "shop", "key"); err != nil || m.UID != "key" {
		t.Errorf("%v, %v", m, err)
	}
	if err := source.Scan(t.Context(), configMaps, cluster.Selection{}, func(stuck.Object) {}); err == nil {
		t.Error("not all namespaces were read")
	}
	if err := source.Probe(t.Context(), stuck.Object{Type: configMaps, Namespace: "shop", Name: "a"}); err == nil {
		t.Error("no dry run was sent")
	}
	if version, err := source.Version(t.Context()); version != "v1.37.1" || err != nil {
		t.Errorf("%s, %v", version, err)
	}
}

// Whoever sends a snapshot may take files out of it before. What they held is then not known: it is not
// absent.
func TestSnapshotWithoutFiles(t *testing.T) {
	archive, _ := record(t, snapshot.Options{})
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	files, w := tar.NewReader(z), tar.NewWriter(&b)
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && strings.Contains(header.Name, "/configmap/") {
			continue
		}
		if err == nil {
			err = w.WriteHeader(header)
		}
		if err == nil {
			_, err = io.Copy(w, files)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	source, err := dump.Open("-", &b, 0)
	if err != nil {
		t.Fatal(err)
	}
	sel := cluster.Selection{Namespace: "shop"}
	_, getErr := source.Get(t.Context(), configMaps, "shop", "a")
	_, otherErr := source.Metadata(t.Context(), configMaps, "shop", "other")
	listErr := source.List(t.Context(), configMaps, sel, func(unstructured.Unstructured) {})
	scanErr := source.Scan(t.Context(), configMaps, sel, func(stuck.Object) {})
	for what, err := range map[string]error{"a file": getErr, "another object": otherErr, "the list": listErr, "the scan": scanErr} {
		if err == nil || cluster.IsObjectNotFound(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// wrongClock is a server behind a proxy that writes the Date of its answers.
type wrongClock struct{ cluster.Source }

func (wrongClock) ClockSpread() time.Duration { return time.Hour }
func (wrongClock) ClockSkew() time.Duration   { return 24 * time.Hour }

// TestTheClockIsKept holds that a time which was not believed of the cluster is not believed of its snapshot.
func TestTheClockIsKept(t *testing.T) {
	source := wrongClock{(&recording.Recording{Time: time.Date(2026, 8, 21, 17, 13, 0, 0, time.UTC), Version: "v1.37.1"}).Source([]stuck.Type{configMaps})}
	r := snapshot.NewRecorder(source)
	_, _, err := r.Types(t.Context())
	var archive bytes.Buffer
	_, writeErr := r.Write(&archive, "snap", snapshot.Options{})
	file := filepath.Join(t.TempDir(), "snap.tar.gz")
	if err := errors.Join(err, writeErr, os.WriteFile(file, archive.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	from, err := dump.Open(file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for name, each := range map[string]cluster.Source{"while it is made": r, "in the archive": from} {
		if spread, skew := cluster.ClockSpread(each), cluster.ClockSkew(each); spread != time.Hour || skew != 24*time.Hour {
			t.Errorf("%s: the times differ by %s, and the clock is %s ahead", name, spread, skew)
		}
	}
}
