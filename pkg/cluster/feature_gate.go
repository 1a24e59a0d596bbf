package cluster

import (
	"strconv"
	"strings"
)

// FeatureGate is how the flag --feature-gates of a command line sets a feature gate, as the programs of Kubernetes and those
// that use k8s.io/component-base read it: the last of several counts. It is not set where no flag names it.
func FeatureGate(flags []string, gate string) (on, set bool) {
	for i, flag := range flags {
		name, list, hasValue := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		if name != "feature-gates" {
			continue
		}
		if !hasValue && i+1 < len(flags) {
			list = flags[i+1]
		}
		for item := range strings.SplitSeq(list, ",") {
			name, text, _ := strings.Cut(strings.TrimSpace(item), "=")
			if value, err := strconv.ParseBool(text); name == gate && err == nil {
				on, set = value, true
			}
		}
	}
	return on, set
}
