package apitext

import (
	"regexp"
	"strings"
)

// Forbidden is a permission that a ServiceAccount lacks.
type Forbidden struct {
	AccountNamespace, Account string
	Verb                      string
	// Resource is the resource as kubectl names it, such as deployments.apps, and Subresource that of it: scale, or empty.
	Resource, Subresource string
	// Namespace is empty for a permission at the cluster scope.
	Namespace string
}

// forbidden is how the API server rejects a request for want of a permission (forbiddenMessage in
// k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go). Programs that quote it escape its quotes.
var forbidden = regexp.MustCompile(strings.ReplaceAll(
	`User 'system:serviceaccount:([a-z0-9-]+):([a-z0-9.-]+)' cannot ([a-z]+) resource '([a-z0-9-]+)(?:/([a-z0-9-]+))?' in API group '([a-z0-9.-]*)'(?: in the namespace '([a-z0-9-]+)'| at the cluster scope)`,
	"'", `\\*"`))

// QuotedForbidden is the permission that a ServiceAccount lacks, where a sentence quotes that rejection.
func QuotedForbidden(text string) (Forbidden, bool) {
	m := forbidden.FindStringSubmatch(OneLine(text))
	if m == nil {
		return Forbidden{}, false
	}
	resource, subresource, group := m[4], m[5], m[6]
	if group != "" {
		resource += "." + group
	}
	return Forbidden{AccountNamespace: m[1], Account: m[2], Verb: m[3], Resource: resource, Subresource: subresource, Namespace: m[7]}, true
}
