package dump

import (
	"path"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
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
	pods := l.rootsBefore(func(parts []string) int {
		if i := len(parts) - 1; i > 0 && strings.TrimSuffix(parts[i], path.Ext(parts[i])) == "pods" {
			return i - 1
		}
		return -1
	})
	for _, root := range nodes {
		for _, other := range pods {
			if root == other {
				return []string{root}
			}
		}
	}
	return nil
}

func readClusterInfo(l *loader, d dumpFiles) (content, error) {
	c := content{name: "a kubectl cluster-info dump", inventory: newInventory(), discoveryGaps: l.fileGaps(nil)}
	place := func(name string) (resource schema.GroupResource, namespace string, ok bool) {
		rest, ok := d.within(name)
		if !ok {
			return resource, "", false
		}
		folder, file := path.Split(rest)
		word := strings.TrimSuffix(file, path.Ext(file))
		if word == "replication-controllers" {
			word = "replicationcontrollers"
		}
		resource, ok = builtInResource(word)
		namespace = strings.TrimSuffix(folder, "/")
		return resource, namespace, ok && !strings.Contains(namespace, "/") && (word == "nodes") == (namespace == "")
	}
	for _, f := range l.files {
		if resource, namespace, ok := place(f.path); ok && f.list {
			c.inventory.markWhole(resource, namespace)
		}
	}
	c.resourceOf = func(name string) (schema.GroupResource, bool) {
		resource, _, ok := place(name)
		return resource, ok
	}
	return c, nil
}
