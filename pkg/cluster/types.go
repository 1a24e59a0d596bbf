package cluster

import "github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"

// Types of Kubernetes itself, in the versions whose fields are read.
var (
	APIServiceType               = stuck.Type{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices", Kind: "APIService"}
	CSIDriverType                = stuck.Type{Group: "storage.k8s.io", Version: "v1", Resource: "csidrivers", Kind: "CSIDriver"}
	CSINodeType                  = stuck.Type{Group: "storage.k8s.io", Version: "v1", Resource: "csinodes", Kind: "CSINode"}
	ClusterRoleBindingType       = stuck.Type{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterrolebindings", Kind: "ClusterRoleBinding"}
	ClusterRoleType              = stuck.Type{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles", Kind: "ClusterRole"}
	ConfigMapType                = stuck.Type{Version: "v1", Resource: "configmaps", Kind: "ConfigMap", Namespaced: true}
	CronJobType                  = stuck.Type{Group: "batch", Version: "v1", Resource: "cronjobs", Kind: "CronJob", Namespaced: true}
	CustomResourceDefinitionType = stuck.Type{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Kind: "CustomResourceDefinition"}
	DaemonSetType                = stuck.Type{Group: "apps", Version: "v1", Resource: "daemonsets", Kind: "DaemonSet", Namespaced: true}
	DeploymentType               = stuck.Type{Group: "apps", Version: "v1", Resource: "deployments", Kind: "Deployment", Namespaced: true}
	EndpointSliceType            = stuck.Type{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices", Kind: "EndpointSlice", Namespaced: true}
	EventType                    = stuck.Type{Version: "v1", Resource: "events", Kind: "Event", Namespaced: true}
	JobType                      = stuck.Type{Group: "batch", Version: "v1", Resource: "jobs", Kind: "Job", Namespaced: true}
	LeaseType                    = stuck.Type{Group: "coordination.k8s.io", Version: "v1", Resource: "leases", Kind: "Lease", Namespaced: true}
	NamespaceType                = stuck.Type{Version: "v1", Resource: "namespaces", Kind: "Namespace"}
	NodeType                     = stuck.Type{Version: "v1", Resource: "nodes", Kind: "Node"}
	PersistentVolumeClaimType    = stuck.Type{Version: "v1", Resource: "persistentvolumeclaims", Kind: "PersistentVolumeClaim", Namespaced: true}
	PersistentVolumeType         = stuck.Type{Version: "v1", Resource: "persistentvolumes", Kind: "PersistentVolume"}
	PodType                      = stuck.Type{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true}
	ReplicaSetType               = stuck.Type{Group: "apps", Version: "v1", Resource: "replicasets", Kind: "ReplicaSet", Namespaced: true}
	ReplicationControllerType    = stuck.Type{Version: "v1", Resource: "replicationcontrollers", Kind: "ReplicationController", Namespaced: true}
	ResourceQuotaType            = stuck.Type{Version: "v1", Resource: "resourcequotas", Kind: "ResourceQuota", Namespaced: true}
	RoleBindingType              = stuck.Type{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings", Kind: "RoleBinding", Namespaced: true}
	RoleType                     = stuck.Type{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles", Kind: "Role", Namespaced: true}
	SecretType                   = stuck.Type{Version: "v1", Resource: "secrets", Kind: "Secret", Namespaced: true}
	ServiceAccountType           = stuck.Type{Version: "v1", Resource: "serviceaccounts", Kind: "ServiceAccount", Namespaced: true}
	ServiceType                  = stuck.Type{Version: "v1", Resource: "services", Kind: "Service", Namespaced: true}
	StatefulSetType              = stuck.Type{Group: "apps", Version: "v1", Resource: "statefulsets", Kind: "StatefulSet", Namespaced: true}
	VolumeAttachmentType         = stuck.Type{Group: "storage.k8s.io", Version: "v1", Resource: "volumeattachments", Kind: "VolumeAttachment"}
)
