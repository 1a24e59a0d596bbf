package dump

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// A support bundle of troubleshoot.sh (replicatedhq/troubleshoot, pkg/collect/cluster_resources.go):
// each list is whole in one file, of a namespace or of the cluster, and beside it is a file with the
// errors of the lists that failed. A list of custom resources that is empty has no file. Of the
// namespaces, only a NamespaceList has all: where some were asked for, the file is an array. The time
// in its name is in an unknown time zone.

const supportBundleFolder = "cluster-resources"

func supportBundleRoots(l *loader) []string {
	return l.rootsBefore(func(parts []string) int { return slices.Index(parts, supportBundleFolder) })
}

// supportBundleNames are the names of its files that are not those of their resource.
var supportBundleNames = map[string]string{
	"pvs": "persistentvolumes", "pvcs": "persistentvolumeclaims", "ingress": "ingresses", "ingress-classes": "ingressclasses",
	"storage-classes": "storageclasses", "network-policy": "networkpolicies", "resource-quota": "resourcequotas",
	"pod-disruption-budgets": "poddisruptionbudgets", "custom-resource-definitions": "customresourcedefinitions",
	"validating-webhook-configurations": "validatingwebhookconfigurations", "mutating-webhook-configurations": "mutatingwebhookconfigurations",
}

// supportBundleResource is the resource that a name in a support bundle stands for.
func supportBundleResource(word string) (schema.GroupResource, bool) {
	if full, ok := supportBundleNames[word]; ok {
		word = full
	}
	return builtInResource(word)
}

func readSupportBundle(l *loader, d dumpFiles) (content, error) {
	c := content{name: "a support bundle", inventory: newInventory()}
	c.place = func(name string) (at scope, ok bool) {
		rest, ok := d.within(name)
		rest, isResource := strings.CutPrefix(rest, supportBundleFolder+"/")
		if !ok || !isResource || path.Ext(rest) != ".json" {
			return at, false
		}
		parts := strings.Split(strings.TrimSuffix(rest, ".json"), "/")
		if parts[0] == "custom-resources" && len(parts) > 1 {
			parts = parts[1:]
			at.resource = schema.ParseGroupResource(parts[0])
		} else if at.resource, ok = supportBundleResource(parts[0]); !ok {
			return at, false
		}
		if len(parts) == 2 {
			at.namespace = parts[1]
		}
		return at, len(parts) <= 2
	}
	// Only custom resources are in arrays. One of namespaces holds those that were asked for.
	c.isSelection = func(f file) bool {
		return f.kind.Kind == "" && !strings.Contains(f.path, supportBundleFolder+"/custom-resources/")
	}
	c.discoveryGaps = l.fileGaps(func(name string) bool { _, ok := c.place(name); return ok })
	for name, text := range l.documents {
		rest, ok := d.within(name)
		rest, isResource := strings.CutPrefix(rest, supportBundleFolder+"/")
		if word, isErrors := strings.CutSuffix(rest, "-errors.json"); ok && isResource && isErrors {
			c.inventory.addFailures(word, text)
		}
	}
	c.addSupportBundleDocuments(l, d)
	return c, nil
}

func (c *content) addSupportBundleDocuments(l *loader, d dumpFiles) {
	for _, root := range d.roots {
		folder := path.Join(root, supportBundleFolder)
		lists, groups := l.documents[path.Join(folder, "resources.json")], l.documents[path.Join(folder, "groups.json")]
		if len(c.types) > 0 || len(lists) == 0 || len(groups) == 0 {
			continue
		}
		types, err := resourceLists(lists, groups)
		if err != nil {
			c.discoveryGaps = append(c.discoveryGaps, stuck.Gap{Source: "the discovery in the dump", Error: err.Error()})
			continue
		}
		c.types = types
		for _, text := range errorTexts(l.documents[path.Join(folder, "groups-resources-errors.json")]) {
			c.discoveryGaps = append(c.discoveryGaps, stuck.Gap{Source: "the types of the cluster", Error: text})
		}
	}
	for _, text := range l.documentsNamed("cluster_version.json") {
		c.version = gitVersion(text)
	}
}

// addFailures notes the lists that failed: by namespace, or for custom resources by their
// definition, or all.
func (i inventory) addFailures(word string, text []byte) {
	var byName map[string]string
	if json.Unmarshal(text, &byName) != nil {
		if resource, ok := supportBundleResource(word); ok {
			i.failed[scope{resource, ""}] = strings.Join(errorTexts(text), "; ")
		}
		return
	}
	resource, ok := supportBundleResource(word)
	for name, message := range byName {
		if word == "custom-resources/custom-resources" {
			crd, namespace, _ := strings.Cut(name, "/")
			i.failed[scope{schema.ParseGroupResource(crd), namespace}] = message
		} else if ok {
			i.failed[scope{resource, name}] = message
		}
	}
}

// errorTexts are the errors in a document: a list of them, or "null".
func errorTexts(text []byte) []string {
	var texts []string
	_ = json.Unmarshal(text, &texts) // what is no list of texts has none
	return texts
}
