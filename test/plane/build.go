package plane

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// DefaultVersion is the Kubernetes version that is built unless KUBE_VERSION names another.
const DefaultVersion = "v1.37.1"

// kwokStages is the file of kwok's own stages, kept with the programs so that a start needs no Go toolchain.
const kwokStages = "kwok-stages.yaml"

// stampFile holds the [stamp] of what was built, and is written last.
const stampFile = "stamp"

// kwokVersion is the version whose pins kwok is built from, for all versions: kwok is only a client, and it does not
// compile with the libraries of just any version.
const kwokVersion = DefaultVersion

// source is where a program comes from; pinned is the version whose pins it is built from.
type source struct{ program, path, pinned string }

func sources(version string) []source {
	return []source{
		{Etcd, "go.etcd.io/etcd/server/v3", version},
		{APIServer, "k8s.io/kubernetes/cmd/kube-apiserver", version},
		{ControllerManager, "k8s.io/kubernetes/cmd/kube-controller-manager", version},
		{Scheduler, "k8s.io/kubernetes/cmd/kube-scheduler", version},
		{"kubectl", "k8s.io/kubernetes/cmd/kubectl", version},
		{Kwok, "sigs.k8s.io/kwok/cmd/kwok", kwokVersion},
	}
}

// Version is the Kubernetes version in use: KUBE_VERSION, or [DefaultVersion].
func Version() string {
	if version := os.Getenv("KUBE_VERSION"); version != "" {
		return version
	}
	return DefaultVersion
}

// Build builds the programs of a Kubernetes version unless they are there, as the pins in test/kubernetes say. It tells
// how it goes on stdout only if there is something to do: it takes minutes then.
func Build(ctx context.Context, version string, stdout io.Writer) error {
	if _, err := pinnedModuleDir(version); err != nil {
		return err
	}
	if _, err := verifiedProgramDir(version); err == nil {
		return nil
	}
	target, err := programDir(version)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o750); err != nil {
		return fmt.Errorf("making a place for the programs: %w", err)
	}
	held, err := lock(target + ".lock")
	if err != nil {
		return err
	}
	defer func() { _ = held.Close() }() // nothing was written to it
	if _, err := verifiedProgramDir(version); err == nil {
		return nil // another process was first
	}
	return replace(ctx, target, version, stdout)
}

// replace puts new programs in the place of what is there, all of them or none.
func replace(ctx context.Context, target, version string, stdout io.Writer) error {
	fresh := target + ".building"
	if err := os.RemoveAll(fresh); err != nil {
		return fmt.Errorf("removing a build that was cut short: %w", err)
	}
	if err := os.MkdirAll(fresh, 0o750); err != nil {
		return fmt.Errorf("making a place to build: %w", err)
	}
	if err := buildInto(ctx, fresh, version, stdout); err != nil {
		return errors.Join(err, os.RemoveAll(fresh))
	}
	if err := os.RemoveAll(target); err != nil {
		return fmt.Errorf("removing the programs of older pins: %w", err)
	}
	if err := os.Rename(fresh, target); err != nil {
		return fmt.Errorf("putting the programs in their place: %w", err)
	}
	return nil
}

func buildInto(ctx context.Context, dir, version string, stdout io.Writer) error {
	begun := time.Now()
	fmt.Fprintf(stdout, "building Kubernetes %s from source, which takes a few minutes the first time\n", version)
	all := sources(version)
	for i, each := range all {
		fmt.Fprintf(stdout, "  %d/%d %s\n", i+1, len(all), each.program)
		if err := each.build(ctx, dir); err != nil {
			return fmt.Errorf("building %s: %w", each.program, err)
		}
	}
	if err := copyStages(ctx, filepath.Join(dir, kwokStages)); err != nil {
		return err
	}
	mark, err := stamp(version)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, stampFile), []byte(mark), 0o600); err != nil {
		return fmt.Errorf("writing the stamp: %w", err)
	}
	fmt.Fprintf(stdout, "  built in %s\n", time.Since(begun).Round(time.Second))
	return nil
}

func (s source) build(ctx context.Context, dir string) error {
	_, err := goTool(ctx, s.pinned, "build", "-ldflags", linkerFlags(s.pinned), "-o", filepath.Join(dir, s.program), s.path)
	return err
}

// linkerFlags make the programs know their version, which clients and the feature gates go by.
func linkerFlags(version string) string {
	numbers := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	const variable = " -X k8s.io/component-base/version."
	flags := "-s -w" + variable + "gitVersion=" + version
	if len(numbers) == 3 {
		flags += variable + "gitMajor=" + numbers[0] + variable + "gitMinor=" + numbers[1]
	}
	return flags
}

// copyStages writes what kwok's own quick stages do to Nodes and Pods into one file.
func copyStages(ctx context.Context, target string) error {
	module, err := goTool(ctx, kwokVersion, "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kwok")
	if err != nil {
		return fmt.Errorf("finding kwok's source: %w", err)
	}
	var stages strings.Builder
	for _, stage := range []string{"pod/fast", "node/fast", "node/heartbeat-with-lease"} {
		files, err := filepath.Glob(filepath.Join(strings.TrimSpace(module), "kustomize", "stage", stage, "*.yaml"))
		if err != nil || len(files) == 0 {
			return errors.Join(fmt.Errorf("finding kwok's stages %s", stage), err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				return fmt.Errorf("reading a stage of kwok: %w", err)
			}
			if filepath.Base(file) != "kustomization.yaml" {
				stages.WriteString("---\n" + string(content))
			}
		}
	}
	if err := os.WriteFile(target, []byte(stages.String()), 0o600); err != nil {
		return fmt.Errorf("writing kwok's stages: %w", err)
	}
	return nil
}

// stamp is a hash of everything that decides what is built.
func stamp(version string) (string, error) {
	hash := sha256.New()
	for _, pinned := range []string{version, kwokVersion} {
		pins, err := pinnedModuleDir(pinned)
		if err != nil {
			return "", err
		}
		for _, name := range []string{"go.mod", "go.sum"} {
			content, err := os.ReadFile(filepath.Join(pins, name))
			if err != nil {
				return "", fmt.Errorf("reading the pins: %w", err)
			}
			hash.Write(content)
		}
	}
	fmt.Fprint(hash, sources(version), linkerFlags(version))
	return fmt.Sprintf("%x\n", hash.Sum(nil)), nil
}

// goTool runs the go command in the module of a version's pins.
func goTool(ctx context.Context, pinned string, args ...string) (string, error) {
	pins, err := pinnedModuleDir(pinned)
	if err != nil {
		return "", err
	}
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir = pins
	command.Env = append(os.Environ(), "GOWORK=off")
	output, err := command.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, failed.Stderr)
	}
	return string(output), err
}
