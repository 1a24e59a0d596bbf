package dump

import (
	"path"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// oc adm inspect, and must-gather, which runs it in several images that each have a folder of
// their own (openshift/oc, pkg/cli/admin/inspect): of each namespace that it was asked for, lists
// of the types of the category "all" and of a few more, each whole in one file, and single objects
// that something else refers to. A single object says nothing of others of its type.

func mustGatherRoots(l *loader) []string {
	roots := l.rootsBefore(func(parts []string) int {
		if i := slices.Index(parts, "cluster-scoped-resources"); i >= 0 {
			return i
		}
		i := slices.Index(parts, "namespaces")
		if i >= 0 && len(parts) == i+3 && parts[i+2] == parts[i+1]+".yaml" {
			return i
		}
		return -1
	})
	if len(roots) == 0 {
		return nil
	}
	// Another image may have written lists of a namespace, and not the namespace.
	return l.rootsBefore(func(parts []string) int {
		if i := slices.Index(parts, "cluster-scoped-resources"); i >= 0 {
			return i
		}
		return slices.Index(parts, "namespaces")
	})
}

func readMustGather(l *loader, d dumpFiles) (content, error) {
	c := content{name: "a must-gather", inventory: newInventory()}
	if !strings.Contains(d.location, "must-gather") && len(d.roots) == 1 && !strings.Contains(d.roots[0], "must-gather") {
		c.name = "an oc adm inspect"
	}
	c.place = d.placeInInspect
	c.discoveryGaps = l.fileGaps(func(name string) bool {
		rest, ok := d.within(name)
		return ok && (strings.HasPrefix(rest, "namespaces/") || strings.HasPrefix(rest, "cluster-scoped-resources/"))
	})
	c.addInspectDiscovery(l, d.roots)
	c.addEtcdAlarms(l, d)
	for _, text := range l.documentsNamed("timestamp") {
		if t := lastTimestamp(string(text)); t.After(c.time) {
			c.time = t
		}
	}
	return c, nil
}

// lastTimestamp is the last of the times that oc adm inspect noted, a line each: when it began and
// when it ended.
func lastTimestamp(text string) time.Time {
	var last time.Time
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), " m=")
		if t, err := time.Parse("2006-01-02 15:04:05.999999999 -0700 MST", line); err == nil && t.After(last) {
			last = t
		}
	}
	return last
}

// placeInInspect is what a file is a list of, or has an object of.
func (d dumpFiles) placeInInspect(name string) (at scope, ok bool) {
	rest, ok := d.within(name)
	if !ok {
		return at, false
	}
	parts := strings.Split(rest, "/")
	switch {
	case parts[0] == "namespaces" && len(parts) == 4:
		at.namespace, parts = parts[1], parts[2:]
	case parts[0] == "cluster-scoped-resources" && len(parts) == 3:
		parts = parts[1:]
	default:
		return at, false
	}
	at.resource = schema.GroupResource{Group: parts[0], Resource: strings.TrimSuffix(parts[1], path.Ext(parts[1]))}
	if at.resource.Group == "core" {
		at.resource.Group = ""
	}
	return at, true
}

// addInspectDiscovery reads the discovery of the first folder that has it.
func (c *content) addInspectDiscovery(l *loader, roots []string) {
	apis, api := l.documentsNamed("aggregated-discovery-apis.yaml"), l.documentsNamed("aggregated-discovery-api.yaml")
	for _, root := range roots {
		if len(c.types) == 0 && len(apis[root]) > 0 && len(api[root]) > 0 {
			types, gaps, err := aggregatedTypes(api[root], apis[root])
			if err != nil {
				c.discoveryGaps = append(c.discoveryGaps, stuck.Gap{Source: "the discovery in the dump", Error: err.Error()})
				continue
			}
			c.types, c.discoveryGaps = types, append(c.discoveryGaps, gaps...)
		}
	}
}
