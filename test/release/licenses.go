package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
	"sigs.k8s.io/yaml"
)

// program is the package that is released.
const program = "./cmd/kubectl-finalizers"

// recorded has the license of each dependency. A test compares it with the texts in the modules.
//
//go:embed licenses.yaml
var recorded []byte

// recordedLicenses are the licenses by the path of the module, as SPDX expressions.
func recordedLicenses() (map[string]string, error) {
	licenses := map[string]string{}
	if err := yaml.UnmarshalStrict(recorded, &licenses); err != nil {
		return nil, fmt.Errorf("reading licenses.yaml: %w", err)
	}
	return licenses, nil
}

// dependency is a module of which the program contains a package, on any system.
type dependency struct{ path, version, folder string }

// dependencies are read from the module cache.
func dependencies(ctx context.Context) ([]dependency, error) {
	var all []dependency
	for _, system := range []string{"linux", "darwin", "windows"} {
		command := exec.CommandContext(ctx, "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}", program)
		command.Dir = repository()
		command.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0", "GOOS="+system, "GOARCH=amd64")
		output, err := command.Output()
		if failed, ok := errors.AsType[*exec.ExitError](err); ok {
			return nil, fmt.Errorf("listing the dependencies: %w\n%s", err, failed.Stderr)
		} else if err != nil {
			return nil, fmt.Errorf("listing the dependencies: %w", err)
		}
		for line := range strings.Lines(string(output)) {
			if fields := strings.Fields(line); len(fields) == 3 {
				all = append(all, dependency{fields[0], fields[1], fields[2]})
			}
		}
	}
	slices.SortFunc(all, func(a, b dependency) int { return strings.Compare(a.path, b.path) })
	return slices.Compact(all), nil
}

// licenseFile matches the files that have to be passed on with a program.
var licenseFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([.-].*)?$`)

// legalFiles are the license files at the root of a module, sorted by name.
func (d dependency) legalFiles() ([]string, error) {
	entries, err := os.ReadDir(d.folder)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", d.path, err)
	}
	var files []string
	for _, entry := range entries {
		if !entry.IsDir() && licenseFile.MatchString(entry.Name()) && filepath.Ext(entry.Name()) != ".go" {
			files = append(files, filepath.Join(d.folder, entry.Name()))
		}
	}
	return files, nil
}

// license is the SPDX expression for the texts in a module's license files, as licensecheck recognizes them.
func (d dependency) license() (string, error) {
	files, err := d.legalFiles()
	if err != nil {
		return "", err
	}
	var ids []string
	for _, file := range files {
		if filepath.Base(file) == "PATENTS" {
			continue // a grant beside the license, which SPDX has no name for
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("reading a license of %s: %w", d.path, err)
		}
		for _, match := range licensecheck.Scan(text).Match {
			if !match.IsURL {
				ids = append(ids, match.ID)
			}
		}
	}
	if len(ids) == 0 {
		return "", fmt.Errorf("%s has no license that is recognized", d.path)
	}
	slices.Sort(ids)
	return strings.Join(slices.Compact(ids), " AND "), nil
}

// writeNotices writes the license texts of all dependencies into one file, as most of them ask of a binary.
func writeNotices(ctx context.Context, target string) error {
	all, err := dependencies(ctx)
	if err != nil {
		return err
	}
	var text strings.Builder
	text.WriteString("kubectl-finalizers contains the modules below, each under its own license.\n")
	for _, each := range all {
		files, err := each.legalFiles()
		if err != nil {
			return err
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				return fmt.Errorf("reading a license of %s: %w", each.path, err)
			}
			fmt.Fprintf(&text, "\n%s\n%s %s: %s\n\n%s\n", strings.Repeat("=", 80), each.path, each.version, filepath.Base(file), strings.TrimSpace(string(content)))
		}
	}
	if err := os.WriteFile(target, []byte(text.String()), 0o644); err != nil {
		return fmt.Errorf("writing the licenses: %w", err)
	}
	return nil
}
