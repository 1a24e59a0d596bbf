package cluster

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// DiscoveryGap is the gap of a group version whose types could not be discovered.
func DiscoveryGap(gv schema.GroupVersion, message string) stuck.Gap {
	path := "/apis/"
	if gv.Group == "" {
		path = "/api/"
	}
	return stuck.Gap{Source: path + gv.String(), Error: message, GroupVersion: gv}
}

// StaleDiscoveryGap is the gap of a group version whose server does not respond to the
// API server's request for its types.
func StaleDiscoveryGap(group, version string) stuck.Gap {
	return DiscoveryGap(schema.GroupVersion{Group: group, Version: version}, "stale discovery: the API server does not learn its types from the server behind it")
}
