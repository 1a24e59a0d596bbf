package main

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
)

// anchors gives every entry a name of its own on its page, in the order of the entries.
func anchors(entries []catalog.Entry) []string {
	anchors := make([]string, len(entries))
	taken := map[string]int{}
	for i, entry := range entries {
		anchor := slug(entry.Name())
		taken[anchor]++
		if n := taken[anchor]; n > 1 {
			anchor += "-" + strconv.Itoa(n)
		}
		anchors[i] = anchor
	}
	return anchors
}

// slug turns a text into the name of an anchor.
func slug(text string) string {
	var name strings.Builder
	for _, char := range strings.ToLower(text) {
		switch {
		case unicode.IsLetter(char), unicode.IsDigit(char):
			name.WriteRune(char)
		case name.Len() > 0 && !strings.HasSuffix(name.String(), "-"):
			name.WriteByte('-')
		}
	}
	return strings.TrimSuffix(name.String(), "-")
}

// areaTitle is an area as a heading.
func areaTitle(area string) string {
	if title, ok := areaTitles()[area]; ok {
		return title
	}
	words := strings.ReplaceAll(area, "-", " ")
	if words == "" {
		return ""
	}
	return strings.ToUpper(words[:1]) + words[1:]
}

// areaTitles are those whose titles hold names of their own.
func areaTitles() map[string]string {
	return map[string]string{
		"cloud-aws": "Cloud: AWS", "cloud-azure": "Cloud: Azure", "cloud-gcp": "Cloud: Google",
		"cloud-other": "Cloud: others", "cluster-api": "Cluster API", "cluster-api-providers": "Cluster API: providers", "csi-and-snapshots": "CSI and snapshots",
		"databases-sql": "Databases: SQL", "gardener-and-kubermatic": "Gardener and Kubermatic", "gateways-and-dns": "Gateways, load balancers and DNS",
		"gitops": "GitOps", "iac-and-crossplane": "Infrastructure as code and Crossplane",
		"kubernetes-core": "Kubernetes itself", "ml-and-batch": "Machine learning and batch",
		"openshift-and-olm": "OpenShift and OLM", "openstack": "OpenStack", "rancher-and-k3s": "Rancher and K3s",
		"serverless-and-ci": "Serverless and CI",
	}
}
