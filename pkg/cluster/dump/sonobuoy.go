package dump

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Sonobuoy's query of a cluster (vmware-tanzu/sonobuoy, pkg/discovery/query.go): a file for each
// list that is not empty, of the cluster or of a namespace. An empty list and one that failed have
// no file alike. A label selector in its configuration is for all lists, so that without the
// configuration no list is known to be whole. Secrets are left out.

func sonobuoyRoots(l *loader) []string {
	return l.rootsBefore(func(parts []string) int {
		i := slices.Index(parts, "resources")
		if i < 0 || len(parts) != i+3 && len(parts) != i+4 || strings.Count(parts[len(parts)-1], "_") < 2 {
			return -1
		}
		if parts[i+1] == "cluster" && len(parts) == i+3 || parts[i+1] == "ns" && len(parts) == i+4 {
			return i
		}
		return -1
	})
}

func readSonobuoy(l *loader, d dumpFiles) (content, error) {
	c := content{name: "a sonobuoy snapshot", inventory: newInventory()}
	c.place = func(name string) (at scope, ok bool) {
		rest, _ := d.within(name)
		parts := strings.Split(rest, "/")
		switch {
		case len(parts) == 3 && parts[0] == "resources" && parts[1] == "cluster":
		case len(parts) == 4 && parts[0] == "resources" && parts[1] == "ns":
			at.namespace = parts[2]
		default:
			return at, false
		}
		words := strings.SplitN(strings.TrimSuffix(parts[len(parts)-1], ".json"), "_", 3)
		if len(words) != 3 {
			return at, false
		}
		if words[0] == "core" {
			words[0] = ""
		}
		at.resource = schema.GroupResource{Group: words[0], Resource: words[2]}
		return at, true
	}
	isSelection := l.isSelection(d.roots)
	c.isSelection = func(file) bool { return isSelection }
	c.discoveryGaps = l.fileGaps(func(name string) bool { _, ok := c.place(name); return ok })
	for _, text := range l.documentsNamed("serverversion.json") {
		c.version = gitVersion(text)
	}
	return c, nil
}

// isSelection reports whether sonobuoy may have listed only objects with some labels.
func (l *loader) isSelection(roots []string) bool {
	for _, root := range roots {
		var config struct {
			Filters *struct {
				LabelSelector string
			}
		}
		err := json.Unmarshal(l.documents[path.Join(root, "meta", "config.json")], &config)
		if err != nil || config.Filters == nil || config.Filters.LabelSelector != "" {
			return true
		}
	}
	return false
}
