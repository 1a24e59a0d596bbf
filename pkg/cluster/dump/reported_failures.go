package dump

import (
	"encoding/json"
	"regexp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
)

// convertedKindPattern is the kind that a conversion webhook failed to convert
// (apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go).
var convertedKindPattern = regexp.MustCompile(`conversion webhook for ([^/,\s]+)/[^/,\s]+, Kind=([A-Za-z0-9]+) `)

// unconvertedTypePattern is the type of an object in a version that its CustomResourceDefinition does not have, as the API server
// names it since Kubernetes 1.37 (apiserver/pkg/storage/errors.go, apiextensions-apiserver/pkg/apiserver/conversion/converter.go).
var unconvertedTypePattern = regexp.MustCompile(`failed to read one or more (\S+) from the storage: .*request to convert CR from an invalid group/version`)

// noteReportedFailures notes the lists that failed for kube-controller-manager: the conditions of a namespace
// that it cannot delete quote the errors. Most dumps hold no custom resources, and name their failed conversions
// nowhere else.
func (s *Source) noteReportedFailures() {
	if s.answers != nil {
		return // it has the answers themselves
	}
	number := s.numberOf(schema.GroupResource{Resource: "namespaces"})
	if number < 0 {
		return
	}
	types := map[schema.GroupKind]schema.GroupResource{}
	for _, t := range s.types {
		types[t.GroupKind()] = t.GVR().GroupResource()
	}
	for _, i := range slices.Sorted(slices.Values(s.byType[number])) { // in the order of the store
		e := &s.entries[i]
		if e.deleted == 0 {
			continue
		}
		content, err := s.store.read(e.location)
		var namespace corev1.Namespace
		if err != nil || json.Unmarshal(content, &namespace) != nil {
			continue
		}
		for _, failure := range apitext.ParseNamespaceConditions(namespace.Status.Conditions).ContentFailures {
			var resource schema.GroupResource
			known := false
			if match := convertedKindPattern.FindStringSubmatch(failure); match != nil {
				resource, known = types[schema.GroupKind{Group: match[1], Kind: match[2]}]
			} else if match := unconvertedTypePattern.FindStringSubmatch(failure); match != nil {
				resource, known = schema.ParseGroupResource(match[1]), true
			}
			if known {
				s.inventory.reported[scope{resource, e.name}] = &cluster.ReportedListError{Namespace: e.name, Message: failure}
			}
		}
	}
}
