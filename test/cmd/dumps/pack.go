package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// pack writes the files of a dump into an archive. They stay as the tool wrote them, except for the address of the
// control plane, its folder and the name of this machine, which are replaced.
func (t tool) pack(p *plane.Plane, folder, archive string) error {
	host, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("finding the name of the machine: %w", err)
	}
	replace := func(content []byte) []byte {
		content = bytes.ReplaceAll(content, []byte(folder), []byte("/dump"))
		content = bytes.ReplaceAll(content, []byte(p.Dir()), []byte("/plane"))
		content = loopback.ReplaceAll(content, []byte("192.0.2.1:6443"))
		return regexp.MustCompile(`\b`+regexp.QuoteMeta(host)+`\b`).ReplaceAll(content, []byte("control-plane"))
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	w := tar.NewWriter(z)
	add := func(name string, content []byte) error {
		content = replace(content)
		header := &tar.Header{Name: path.Join(t.root, string(replace([]byte(name)))), Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(content))}
		if err := w.WriteHeader(header); err != nil {
			return err
		}
		_, err := w.Write(content)
		return err
	}
	if err := errors.Join(eachFile(folder, add), w.Close(), z.Close()); err != nil {
		return fmt.Errorf("packing the dump: %w", err)
	}
	return os.WriteFile(archive, packed.Bytes(), 0o644) //nolint:gosec // it is committed, and has no secrets
}

var loopback = regexp.MustCompile(`(127\.0\.0\.1|localhost):[0-9]+`)

// eachFile visits the regular files of a dump, in order; one that is an archive by itself is unpacked.
func eachFile(folder string, visit func(name string, content []byte) error) error {
	return filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || entry.Name() == specFile {
			return err
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if strings.HasSuffix(file, ".tar.gz") {
			return unpack(content, visit)
		}
		name, err := filepath.Rel(folder, file)
		if err != nil {
			return err
		}
		return visit(filepath.ToSlash(name), content)
	})
}

func unpack(archive []byte, visit func(name string, content []byte) error) error {
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return err
	}
	for r := tar.NewReader(z); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		content, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if err := visit(header.Name, content); err != nil {
			return err
		}
	}
}
