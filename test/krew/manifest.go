// Package krew writes the Krew manifest of a release from its template, .krew.yaml.
package krew

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"
	"text/template"
)

// header begins the manifest in place of the comment of the template.
const header = `# Krew's manifest. This repository is a Krew index of its own:
#   kubectl krew index add finalizers https://github.com/kubectl-finalizers/kubectl-finalizers.git
#   kubectl krew install finalizers/finalizers
# A release renders .krew.yaml into this file, so edit both.
`

// Manifest is the manifest for a tag. checksums is the file that sha256sum writes, and that lists every archive.
// The template has the function of krew-release-bot, addURIAndSha, but nothing is downloaded.
func Manifest(text, tag, checksums string) (string, error) {
	sums := sumsByName(checksums)
	release := struct{ TagName string }{tag}
	addURIAndSha := func(address, _ string) (string, error) {
		uri, err := render(address, nil, release)
		if err != nil {
			return "", err
		}
		sum, listed := sums[path.Base(uri)]
		if !listed {
			return "", fmt.Errorf("the checksums do not list %s", path.Base(uri))
		}
		return fmt.Sprintf("uri: %s\n    sha256: %q", uri, sum), nil
	}
	rendered, err := render(text, template.FuncMap{"addURIAndSha": addURIAndSha}, release)
	if err != nil {
		return "", err
	}
	_, body, found := strings.Cut(rendered, "apiVersion:")
	if !found {
		return "", errors.New("the template has no apiVersion")
	}
	return header + "apiVersion:" + body, nil
}

// render fills in a template. The addresses in .krew.yaml are templates within the template.
func render(text string, functions template.FuncMap, values any) (string, error) {
	parsed, err := template.New("manifest").Option("missingkey=error").Funcs(functions).Parse(text)
	if err != nil {
		return "", fmt.Errorf("reading the template: %w", err)
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, values); err != nil {
		return "", fmt.Errorf("filling in the template: %w", err)
	}
	return out.String(), nil
}

func sumsByName(checksums string) map[string]string {
	sums := map[string]string{}
	for line := range strings.Lines(checksums) {
		if fields := strings.Fields(line); len(fields) == 2 {
			sums[fields[1]] = fields[0]
		}
	}
	return sums
}
