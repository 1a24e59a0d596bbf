package dump

import (
	"path"
	"slices"
	"strings"
)

// kubectl cluster-info dump --output-directory writes the nodes, and of each namespace that it was
// asked for a list of a few types, whole (k8s.io/kubectl/pkg/cmd/clusterinfo/clusterinfo_dump.go).
// It holds no custom resources, namespaces, claims or leases, and does not say when it was made.

func clusterInfoRoots(l *loader) []string {
	nodes := l.rootsBefore(func(parts []string) int {
		if i := len(parts) - 1; strings.TrimSuffix(parts[i], path.Ext(parts[i])) == "nodes" {
			return i
		}
		return -1
	})
	// No person calls a file so.
	namespaces := l.rootsBefore(func(parts []string) int {
		if i := len(parts) - 1; i > 0 && strings.TrimSuffix(parts[i], path.Ext(parts[i])) == "replication-controllers" {
			return i - 1
		}
		return -1
	})
	return slices.DeleteFunc(nodes, func(root string) bool { return !slices.Contains(namespaces, root) })
}

func readClusterInfo(l *loader, d dumpFiles) (content, error) {
	c := content{name: "a kubectl cluster-info dump", inventory: newInventory(), discoveryGaps: l.fileGaps(nil)}
	c.place = func(name string) (at scope, ok bool) {
		rest, ok := d.within(name)
		if !ok {
			return at, false
		}
		folder, file := path.Split(rest)
		word := strings.TrimSuffix(file, path.Ext(file))
		if word == "replication-controllers" {
			word = "replicationcontrollers"
		}
		at.resource, ok = builtInResource(word)
		at.namespace = strings.TrimSuffix(folder, "/")
		return at, ok && !strings.Contains(at.namespace, "/") && (word == "nodes") == (at.namespace == "")
	}
	return c, nil
}
