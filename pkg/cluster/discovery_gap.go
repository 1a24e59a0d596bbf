package cluster

import (
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// StaleDiscoveryGap is the gap of a group version whose server does not answer the
// API server's request for its types.
func StaleDiscoveryGap(group, version string) stuck.Gap {
	return stuck.Gap{Source: ApisPath + group + "/" + version, Error: "stale discovery: the API server does not learn its types from the server behind it"}
}

// ApisPath is where API groups are served.
const ApisPath = "/apis/"

// parseDiscoveryGap is the group and version of a gap in discovery, false for any
// other gap.
func parseDiscoveryGap(gap stuck.Gap) (group, version string, ok bool) {
	rest, ok := strings.CutPrefix(gap.Source, ApisPath)
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, "/")
}
