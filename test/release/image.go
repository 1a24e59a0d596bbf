package main

import (
	"archive/tar"
	"bytes"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// writeImage writes an OCI layout with an image of each program, which says itself for which platform it was built. An
// image contains the program alone: the bytes are those of the archives, and no base image can go stale.
func writeImage(folder string, programs []string) error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, program := range programs {
		image, platform, err := newImage(program)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: platform}})
	}
	if err := os.RemoveAll(folder); err != nil {
		return fmt.Errorf("removing an earlier image: %w", err)
	}
	if _, err := layout.Write(folder, index); err != nil {
		return fmt.Errorf("writing the image: %w", err)
	}
	return nil
}

func newImage(program string) (v1.Image, *v1.Platform, error) {
	content, err := os.ReadFile(program)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the program: %w", err)
	}
	build, err := buildinfo.Read(bytes.NewReader(content))
	if err != nil {
		return nil, nil, fmt.Errorf("reading what %s was built from: %w", program, err)
	}
	platform, err := platformOf(build)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", program, err)
	}
	created, err := time.Parse(time.RFC3339, setting(build, "vcs.time"))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: reading the date of its commit: %w", program, err)
	}
	layer, err := newLayer(content, created)
	if err != nil {
		return nil, nil, err
	}
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err := mutate.Append(base, mutate.Addendum{Layer: layer, MediaType: types.OCILayer, History: v1.History{Created: v1.Time{Time: created}, CreatedBy: "kubectl-finalizers-release"}})
	if err != nil {
		return nil, nil, fmt.Errorf("adding the program to the image: %w", err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, nil, fmt.Errorf("reading the configuration of the image: %w", err)
	}
	config.Created = v1.Time{Time: created}
	config.OS, config.Architecture, config.Variant = platform.OS, platform.Architecture, platform.Variant
	config.Config = runtimeConfig(build)
	image, err = mutate.ConfigFile(image, config)
	return image, platform, err
}

// runtimeConfig runs the program as a user without rights, as restricted Pods must.
func runtimeConfig(build *debug.BuildInfo) v1.Config {
	return v1.Config{
		Entrypoint: []string{"/kubectl-finalizers"},
		User:       "65532:65532",
		Labels: map[string]string{
			"org.opencontainers.image.source":   homepage,
			"org.opencontainers.image.revision": setting(build, "vcs.revision"),
			"org.opencontainers.image.licenses": "Apache-2.0",
		},
	}
}

func platformOf(build *debug.BuildInfo) (*v1.Platform, error) {
	platform := &v1.Platform{OS: setting(build, "GOOS"), Architecture: setting(build, "GOARCH")}
	if platform.OS != "linux" {
		return nil, errors.New("an image needs a program for Linux")
	}
	if platform.Architecture == "arm" {
		platform.Variant = "v" + setting(build, "GOARM")
	}
	return platform, nil
}

// newLayer is a layer with the program and nothing else, with the same bytes in each build.
func newLayer(program []byte, created time.Time) (v1.Layer, error) {
	var archive bytes.Buffer
	writer := tar.NewWriter(&archive)
	header := &tar.Header{Typeflag: tar.TypeReg, Name: "kubectl-finalizers", Mode: 0o755, Size: int64(len(program)), ModTime: created}
	if err := writer.WriteHeader(header); err != nil {
		return nil, fmt.Errorf("writing the layer: %w", err)
	}
	_, err := writer.Write(program)
	if err := errors.Join(err, writer.Close()); err != nil {
		return nil, fmt.Errorf("writing the layer: %w", err)
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(archive.Bytes())), nil }
	return tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer))
}

// push copies an OCI layout to a registry, and prints the address with the digest, which is what gets signed.
func push(ctx context.Context, folder, address string, stdout io.Writer) error {
	reference, err := name.NewTag(address, name.StrictValidation)
	if err != nil {
		return fmt.Errorf("reading the address of the image: %w", err)
	}
	index, err := layout.ImageIndexFromPath(filepath.Clean(folder))
	if err != nil {
		return fmt.Errorf("reading the image: %w", err)
	}
	digest, err := index.Digest()
	if err != nil {
		return fmt.Errorf("reading the digest of the image: %w", err)
	}
	if err := remote.WriteIndex(reference, index, remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain)); err != nil {
		return fmt.Errorf("pushing the image: %w", err)
	}
	_, err = fmt.Fprintf(stdout, "%s@%s\n", reference.Context(), digest)
	return err
}
