package cause

import "strings"

// custom says whether an API group is none of Kubernetes' own, whose groups
// have no dot or end with k8s.io.
func custom(group string) bool {
	return strings.Contains(group, ".") && !strings.HasSuffix(group, ".k8s.io")
}
