package catalog

import (
	"slices"
	"strings"
)

// sharedDomain is the domain of two or more labels that both names are under, or nothing. Domains under which
// everybody may use names identify no controller.
func sharedDomain(one, other string) string {
	labels, others := strings.Split(one, "."), strings.Split(other, ".")
	shared := 0
	for shared < len(labels) && shared < len(others) &&
		labels[len(labels)-1-shared] == others[len(others)-1-shared] {
		shared++
	}
	if shared < 2 {
		return ""
	}
	domain := strings.Join(labels[len(labels)-shared:], ".")
	if slices.Contains(publicDomains(), domain) {
		return ""
	}
	return domain
}

// publicDomains are shared by the work of many: by everybody, or by the many products of one maker.
func publicDomains() []string {
	return []string{
		"k8s.io", "x-k8s.io", "sigs.k8s.io", "sigs.x-k8s.io", "kubernetes.io", "cluster.x-k8s.io",
		"infrastructure.cluster.x-k8s.io", "example.com", "example.org", "github.com", "github.io", "gitlab.com",
		"my.domain", "co.uk", "com.cn", "com.br", "apache.org", "eclipse.org",
		"openshift.io", "managed.openshift.io", "redhat.com", "cattle.io", "gke.io", "google.com", "cloud.google.com",
		"azure.com", "amazonaws.com", "k8s.aws", "vmware.com", "ibm.com", "oracle.com", "nvidia.com", "sap.com",
		"hashicorp.com", "gardener.cloud", "open-cluster-management.io", "cybozu.com", "epam.com", "apple.com",
	}
}
