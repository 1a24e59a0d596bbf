package apitext

import (
	"cmp"
	"regexp"
	"strings"
)

// quotedRejections are how controllers quote a rejection by admission in a sentence of
// their own: rejectionPatterns without their beginning.
var quotedRejections = []struct {
	by      RejectedBy
	pattern *regexp.Regexp
	kind    string
}{
	{WebhookDenied, regexp.MustCompile(`admission webhook "(?P<name>[^"]+)" denied the request(?:: ?(?P<says>.*))?`), ""},
	{WebhookFailed, regexp.MustCompile(`failed calling webhook "(?P<name>[^"]+)"[:;] (?:failed to call webhook: )?(?P<says>.*)`), ""},
	{PolicyDenied, regexp.MustCompile(`ValidatingAdmissionPolicy '(?P<name>[^']+)' (?:with binding '(?P<binding>[^']+)' )?denied request: (?P<says>.*)`), ValidatingPolicy},
	{PolicyDenied, regexp.MustCompile(`\bpolicy (?:'(?P<name>[^']+)' with binding '(?P<binding>[^']+)'|"(?P<name2>[^"]+)") denied request: (?P<says>.*)`), MutatingPolicy},
}

// QuotedRejection is the rejection by a webhook or a policy that a sentence quotes.
func QuotedRejection(text string) (Rejection, bool) {
	for _, q := range quotedRejections {
		m := q.pattern.FindStringSubmatch(OneLine(text))
		if m == nil {
			continue
		}
		group := func(name string) string {
			if i := q.pattern.SubexpIndex(name); i >= 0 {
				return m[i]
			}
			return ""
		}
		return Rejection{
			By: q.by, Name: cmp.Or(group("name"), group("name2")), Binding: group("binding"), PolicyKind: q.kind,
			Message: cmp.Or(group("says"), "no reason given"),
		}, true
	}
	return Rejection{}, false
}

// newFinalizers is how the API server rejects an update that adds a finalizer to an object
// that is being deleted (k8s.io/apimachinery/pkg/api/validation/objectmeta.go,
// ValidateFinalizersUpdate).
var newFinalizers = regexp.MustCompile(`no new finalizers can be added if the object is being deleted(?:, found new finalizers \[\]string\{([^}]*)\})?`)

// QuotedNewFinalizers are the finalizers that somebody tried to add to an object that is
// being deleted, where a sentence quotes that rejection.
func QuotedNewFinalizers(text string) (finalizers []string, ok bool) {
	m := newFinalizers.FindStringSubmatch(OneLine(text))
	if m == nil {
		return nil, false
	}
	for _, each := range strings.Split(m[1], ",") {
		if name := strings.Trim(each, ` "\`); name != "" {
			finalizers = append(finalizers, name)
		}
	}
	return finalizers, true
}

// IsTooLarge reports whether a sentence quotes that etcd rejected a write for its size
// (isTooLargeError in k8s.io/apiserver/pkg/endpoints/handlers/rest.go).
func IsTooLarge(text string) bool {
	return strings.Contains(text, "etcdserver: request is too large") || strings.Contains(text, "trying to send message larger than max")
}

// IsWithoutNamespace reports whether a sentence quotes that the API server cannot start the watch cache of a type that has namespaces,
// since an object of it has none (k8s.io/apiserver/pkg/registry/generic/registry/store.go, NamespaceKeyFunc, called in
// pkg/storage/cacher/watch_cache.go).
func IsWithoutNamespace(text string) bool {
	return strings.Contains(text, "couldn't compute key: Namespace parameter required")
}
