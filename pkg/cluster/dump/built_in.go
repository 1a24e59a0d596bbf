package dump

import "k8s.io/apimachinery/pkg/runtime/schema"

// builtInResource is the resource of Kubernetes itself that a name stands for.
func builtInResource(name string) (schema.GroupResource, bool) {
	group, ok := builtInGroups[name]
	return schema.GroupResource{Group: group, Resource: name}, ok
}

// builtInGroups are the groups of resources that dumps name without their group.
var builtInGroups = map[string]string{
	"pods": "", "services": "", "events": "", "nodes": "", "namespaces": "", "endpoints": "", "configmaps": "", "serviceaccounts": "",
	"limitranges": "", "persistentvolumes": "", "persistentvolumeclaims": "", "replicationcontrollers": "", "resourcequotas": "",
	"deployments": "apps", "statefulsets": "apps", "daemonsets": "apps", "replicasets": "apps", "jobs": "batch", "cronjobs": "batch",
	"ingresses": "networking.k8s.io", "networkpolicies": "networking.k8s.io", "ingressclasses": "networking.k8s.io",
	"roles": "rbac.authorization.k8s.io", "rolebindings": "rbac.authorization.k8s.io", "clusterroles": "rbac.authorization.k8s.io",
	"clusterrolebindings": "rbac.authorization.k8s.io", "leases": "coordination.k8s.io", "endpointslices": "discovery.k8s.io",
	"poddisruptionbudgets": "policy", "storageclasses": "storage.k8s.io", "volumeattachments": "storage.k8s.io",
	"customresourcedefinitions": "apiextensions.k8s.io", "priorityclasses": "scheduling.k8s.io", "certificatesigningrequests": "certificates.k8s.io",
	"validatingwebhookconfigurations": "admissionregistration.k8s.io", "mutatingwebhookconfigurations": "admissionregistration.k8s.io",
}
