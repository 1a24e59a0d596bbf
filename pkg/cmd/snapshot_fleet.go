package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
)

// defaultSnapshots is the folder for the snapshots of several clusters.
const defaultSnapshots = "finalizers-snapshots"

// runFleet writes an archive of each of several clusters.
func (f snapshotFlags) runFleet(c *cobra.Command, p Program, flags *genericclioptions.ConfigFlags) error {
	folder := f.file
	switch {
	case !c.Flags().Changed("output"):
		folder = defaultSnapshots
	case folder == "" || folder == "-":
		return errors.New("-o must name a folder: of several clusters, each has an archive")
	}
	options, err := f.fleet.options(p, flags, f.allNamespaces)
	if err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o700); errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s exists and is not replaced: choose another folder with -o", folder)
	} else if err != nil {
		return fmt.Errorf("creating the folder for the snapshots: %w", err)
	}
	options.atOnce = maxWholeClustersAtOnce
	names := archiveNames{taken: map[string]bool{}}
	results, err := readFleet(c.Context(), options, 0, func(ctx context.Context, p Program, c fleetCluster) (struct{}, error) {
		o := &snapshotOptions{snapshotFlags: f, program: p, flags: c.flags()}
		var err error
		if o.source, o.namespace, err = p.openSource(c.flags()); err != nil {
			return struct{}{}, err
		}
		if f.allNamespaces {
			o.namespace = ""
		}
		name := c.name()
		if f.redact { // a context is often called after a namespace, a server and a user
			name = "cluster"
		}
		o.file = filepath.Join(folder, names.next(name))
		return struct{}{}, o.Run(ctx)
	})
	if err != nil {
		return errors.Join(err, removeEmpty(folder))
	}
	printMessages(p, results)
	if unread(results) > 0 {
		return exitIncomplete
	}
	return nil
}

// removeEmpty removes a folder, unless something is in it.
func removeEmpty(folder string) error {
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		return err
	}
	return os.Remove(folder)
}

// archiveNames gives each cluster a file of its own.
type archiveNames struct {
	mu    sync.Mutex
	taken map[string]bool
}

// maxArchiveName is how long the part of a name is that comes from a context.
const maxArchiveName = 100

// next is the name of a file for a cluster, whatever its name is made of: a slash would be another
// folder, and some file systems do not tell capital letters apart.
func (a *archiveNames) next(cluster string) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_':
			return r
		}
		return '-'
	}, cluster)
	safe = strings.TrimLeft(safe, ".-")
	safe = safe[:min(len(safe), maxArchiveName)]
	if safe == "" {
		safe = "cluster"
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	name := safe
	for n := 2; a.taken[strings.ToLower(name)]; n++ {
		name = fmt.Sprintf("%s-%d", safe, n)
	}
	a.taken[strings.ToLower(name)] = true
	return name + ".tar.gz"
}
