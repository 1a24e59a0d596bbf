package snapshot

import "strings"

// addKeys keeps the keys of labels and annotations.
func (n *names) addKeys(values map[string]string) {
	for key := range values {
		n.addKey(key)
	}
}

// addKey keeps a key of labels, annotations or taints by which a cause may be recognized: one of Kubernetes, or of a
// project in the catalog. Of any other it keeps the domain. The keys of the Operator Lifecycle Manager end with the
// names of an operator and its namespace.
func (n *names) addKey(key string) {
	domain, _, ok := strings.Cut(key, "/")
	switch {
	case !ok && strings.Contains(key, "."), ok && domain != "operators.coreos.com" && n.isKnownDomain(domain):
		n.keep(key)
	case ok && strings.Contains(domain, "."):
		n.keep(domain)
	}
}

// isKnownDomain reports whether a domain is Kubernetes', or is, contains or is part of one that a finalizer in the catalog
// has.
func (n *names) isKnownDomain(domain string) bool {
	if strings.HasSuffix(domain, "kubernetes.io") || strings.HasSuffix(domain, "k8s.io") {
		return true
	}
	for known := range n.domains {
		if known == domain || strings.HasSuffix(known, "."+domain) || strings.HasSuffix(domain, "."+known) {
			return true
		}
	}
	return false
}
