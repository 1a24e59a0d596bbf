package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// tool writes dumps of a cluster.
type tool struct {
	// name is that of its folder in testdata/dumps.
	name string
	// root is the folder in the archive that the dump is in, as the tool calls it.
	root string
	// program is the name of its program, and args are what it is given to write into a folder.
	program string
	args    func(folder string) []string
	// spec is a file that it reads, in the folder.
	spec string
	// mayFail says that it ends with an error where a part of the cluster could not be read, and writes the rest.
	mayFail bool
}

const specFile = "spec.yaml"

// tools are those of which the programs can be built from Go modules.
func tools() []tool {
	namespaces := []string{"billing", "database", "docs", "wiki-system"}
	return []tool{
		{
			name: "inspect-real", root: "inspect.local.1", program: "inspect", mayFail: true, // there is no kubelet to get logs from
			args: func(folder string) []string {
				args := []string{"--dest-dir", folder, "crd/invoices.billing.example.com", "crd/pages.wiki.example.com", "apiservice/v2.billing.example.com", "node/node-1"}
				for _, namespace := range namespaces {
					args = append(args, "namespaces/"+namespace)
				}
				return args
			},
		},
		{
			name: "sonobuoy-real", program: "sonobuoy",
			args: func(folder string) []string {
				return []string{folder, strings.Join(namespaces, ","), sonobuoyResources}
			},
		},
		{
			name: "support-bundle-real", program: "support-bundle", spec: supportBundleSpec,
			args: func(folder string) []string {
				return []string{
					filepath.Join(folder, specFile), "--interactive=false", "--auto-update=false", "--no-uri", "--output", filepath.Join(folder, "support-bundle.tar.gz"),
				}
			},
		},
		{
			name: "cluster-info-real", program: "kubectl",
			args: func(folder string) []string {
				return []string{"cluster-info", "dump", "--output-directory", folder, "--namespaces", strings.Join(namespaces, ",")}
			},
			mayFail: true, // as above
		},
	}
}

// sonobuoyResources lack the type that cannot be listed: sonobuoy tries it for a minute in each namespace, and writes
// nothing of it.
const sonobuoyResources = "apiservices,customresourcedefinitions,deployments,events,namespaces,nodes,pages,persistentvolumeclaims,pods," +
	"replicasets,serviceaccounts,services"

// supportBundleSpec asks for what every support bundle has, of the namespaces of the stories.
const supportBundleSpec = `apiVersion: troubleshoot.sh/v1beta2
kind: SupportBundle
metadata: {name: stories}
spec:
  collectors:
  - clusterInfo: {}
  - clusterResources: {namespaces: [billing, database, docs, wiki-system]}
`

// write lets the tool write its dump, keeps it as an archive, and returns what the tool printed.
func (t tool) write(ctx context.Context, p *plane.Plane, programs, folder, kept string) (report []byte, err error) {
	for _, place := range []string{folder, kept} {
		if err := os.MkdirAll(place, 0o750); err != nil {
			return nil, fmt.Errorf("making a place for the dump: %w", err)
		}
	}
	if t.spec != "" {
		if err := os.WriteFile(filepath.Join(folder, specFile), []byte(t.spec), 0o600); err != nil {
			return nil, fmt.Errorf("writing its spec: %w", err)
		}
	}
	program, err := filepath.Abs(filepath.Join(programs, t.program))
	if t.program == "kubectl" {
		program, err = filepath.Join(p.Bin(), t.program), nil
	}
	if err != nil {
		return nil, fmt.Errorf("finding its program: %w", err)
	}
	command := exec.CommandContext(ctx, program, t.args(folder)...)
	command.Dir, command.Env = folder, p.Env(plane.Admin)
	report, err = command.CombinedOutput()
	if err != nil && !t.mayFail {
		return report, err
	}
	return report, t.pack(p, folder, filepath.Join(kept, "dump.tar.gz"))
}
