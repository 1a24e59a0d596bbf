package catalog

import (
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/sets"
)

// builtin are the names, in commands, of resources that every cluster has, and of others that are no single resource: categories.
var builtin = sets.New(
	"apiservice", "apiservices", "clusterrolebinding", "clusterrolebindings", "clusterroles", "cm", "configmap", "configmaps", "crd", "crds", "cronjobs",
	"csidriver", "csidrivers", "csinode", "csinodes", "customresourcedefinition", "customresourcedefinitions", "daemonset",
	"daemonsets", "deployment", "deployments", "endpoints", "endpointslices", "events", "ingress", "ingressclass", "ingressclasses",
	"ingresses", "job", "jobs", "lease", "leases", "mutatingwebhookconfigurations", "namespace", "namespaces", "networkpolicies",
	"node", "nodes", "ns", "persistentvolume", "persistentvolumeclaim", "persistentvolumeclaims", "persistentvolumes", "pod",
	"poddisruptionbudgets", "pods", "podtemplates", "pv", "pvc", "replicasets", "resourceclaim", "resourceclaims", "resourceclaimtemplates", "resourceslices",
	"role", "rolebinding", "rolebindings", "roles", "runtimeclasses", "sa", "secret", "secrets", "service", "serviceaccount",
	"serviceaccounts", "services", "statefulset", "statefulsets", "storageclass", "storageclasses", "svc",
	"validatingwebhookconfigurations", "volumeattachment", "volumeattachments",
	"claim", "cluster-api", "composite", "gcp", "managed",
)

// resources are what kubectl is asked for or told to change.
var resources = regexp.MustCompile(`\bkubectl(?: (?:-n|--context) \S+)* (?:annotate|delete|describe|edit|get|label|patch|wait)(?: (?:-n|--context|-l) \S+| -A)* ([^\s|-]\S*)`)

// A command names a custom resource by its group too: two projects in a cluster may have clusters, or backups. And it does not ask
// for "all", which leaves out ConfigMaps, Secrets, claims and custom resources.
func TestCommandsNameTheGroup(t *testing.T) {
	found := 0
	for _, e := range load(t).Entries() {
		for _, step := range stepsOf(e) {
			for _, match := range resources.FindAllStringSubmatch(step.Command, -1) {
				for named := range strings.SplitSeq(match[1], ",") {
					resource, _, _ := strings.Cut(strings.Trim(named, `"'`), "/")
					found++
					if !strings.ContainsAny(resource, ".{<") && !builtin.Has(resource) {
						t.Errorf("%s:%d: of which group is %q in %q?", e.file, e.line, resource, step.Command)
					}
				}
			}
		}
	}
	if found < 1000 {
		t.Errorf("only %d resources are found in commands", found)
	}
}

// logs is a command that reads the logs of a selector's pods, as far as the next command.
var logs = regexp.MustCompile(`\bkubectl [^|;&]*\blogs [^|;&]*(?:-l|--selector)\b[^|;&]*`)

// Of the pods of a selector kubectl logs prints ten lines, unless it is told otherwise.
func TestLogsOfASelectorAreWhole(t *testing.T) {
	found := 0
	for _, e := range load(t).Entries() {
		for _, step := range stepsOf(e) {
			for _, command := range logs.FindAllString(step.Command, -1) {
				found++
				if !strings.Contains(command, "--tail") && !strings.Contains(command, " -f") {
					t.Errorf("%s:%d: %q prints ten lines: add --tail=-1", e.file, e.line, command)
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d commands are found", found)
	}
}

// unquotedPattern is a path with brackets that a shell takes for the names of files: zsh then runs nothing.
var unquotedPattern = regexp.MustCompile(`jsonpath=\{[^\s'"]*\[`)

func TestPathsWithBracketsAreQuoted(t *testing.T) {
	for _, e := range load(t).Entries() {
		for _, step := range stepsOf(e) {
			if found := unquotedPattern.FindString(step.Command); found != "" {
				t.Errorf("%s:%d: quote %s... in %q", e.file, e.line, found, step.Command)
			}
		}
	}
}
