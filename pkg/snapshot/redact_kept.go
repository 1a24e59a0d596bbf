package snapshot

import "github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"

// keptNames are names of Kubernetes itself.
var keptNames = []string{
	"kube-system", "kube-public", "kube-node-lease", "kube-controller-manager", "kube-scheduler", "kube-apiserver", "kube-proxy", "kube-dns",
	"kube-root-ca.crt", "kubernetes", "cloud-controller-manager", "coredns", "default-scheduler", "extension-apiserver-authentication", "extension-apiserver-authentication-reader",
	"cluster-admin", "system-node-critical", "system-cluster-critical", "horizontal-pod-autoscaler", "konnectivity-agent",
	"metrics-server", "apiserver-network-proxy",
}

// keptControllers are the names of controllers of kube-controller-manager, as its flag --controllers takes them.
var keptControllers = []string{
	string(cluster.NamespaceController), string(cluster.GarbageCollector), string(cluster.ClaimProtectionController), string(cluster.VolumeProtectionController),
	string(cluster.JobController), string(cluster.PodGarbageCollector), string(cluster.AttachDetachController), string(cluster.ResourceClaimController),
	string(cluster.ServiceCIDRController), string(cluster.AttributesClassProtection), "garbagecollector", "pvc-protection", "pv-protection", "podgc", "attachdetach",
}

// keptTexts are what the API server and controllers write, by which causes are recognized: pkg/cluster/apitext, and the
// causes and clues that read messages.
var keptTexts = []string{
	"conversion webhook for", "admission webhook", "denied the request", "without explanation", "failed calling webhook", "failed to call webhook",
	"does not support dry run", "with binding", "denied request", "policy", "no params found for policy binding", "failed to configure", "field is immutable",
	"is forbidden", "is invalid", "an error on the server", "the server", "no kind", "unable to", "Internal error occurred", "Failed to delete all resource types",
	"remaining", "unexpected items still remain in namespace", "for gvr", "has", "resource instances", "failed to read one or more",
	"storage is (re)initializing", "couldn't compute key: Namespace parameter required", "no new finalizers can be added if the object is being deleted", "no new finalizers can be added", "found new finalizers",
	"etcdserver: request is too large", "trying to send message larger than max", "corrupt object", "data from the storage is not transformable",
	"object not decodable", "revision", "plugins", "static.k8s.io", "ipallocator.k8s.io", "in-cluster", "https", "http", "unable to transform key", "failed to list", "unexpected end of JSON input", "invalid character", "proto",
	"couldn't get version/kind; json parse error", "the server rejected our request due to an error in our request", "when reading response body",
	"waiting for deletion of", "Job.batch", "batch/Job", "exceeded quota", "error looking up service account", "not found", "could not", "timed out",
	"failed to destroy network for", "sandbox", "plugin type", "string", "registry", "x509", "kubernetes.io/bootstrapping", "rbac-defaults", "sh.helm.release",
}

// keptWords are words that stay in a name too: those of addresses, labels, fields and users, and those in which a failure
// is reported.
var keptWords = []string{
	"com", "dev", "io", "local", "net", "org", "svc", "cluster", "default", "system", "kube", "kubernetes", "k8s", "app", "component", "instance", "name",
	"names", "namespace", "metadata", "spec", "status", "finalizers", "labels", "fields", "uid", "api", "apis", "control", "plane", "manager", "controller",
	"operator", "webhook", "server", "main", "unknown", "serviceaccount", "admin", "edit", "view", "helm", "kubectl", "release", "pvc", "true", "false",
	"error", "errors", "fail", "fails", "failed", "failure", "cannot", "unable", "denied", "forbidden", "refused", "invalid",
	"the", "for", "of", "in", "is", "no", "not", "to", "from", "resource", "type", "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection",
}
