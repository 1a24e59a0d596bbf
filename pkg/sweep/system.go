package sweep

import (
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

const (
	// bootstrappingLabel is on the default ClusterRoles and ClusterRoleBindings
	// (https://kubernetes.io/docs/reference/access-authn-authz/rbac/#default-roles-and-role-bindings).
	bootstrappingLabel = "kubernetes.io/bootstrapping"
	// autoManagedLabel is on the APIServices that the API server creates (k8s.io/kube-aggregator/pkg/controllers/autoregister).
	autoManagedLabel = "kube-aggregator.kubernetes.io/automanaged"
	// defaultServiceCIDR is created by the API server (kubernetes/pkg/controlplane/controller/defaultservicecidr).
	defaultServiceCIDR = "kubernetes"
)

// hasSystemPrefix reports whether Kubernetes keeps a name for itself: those of RBAC, those of PriorityClasses, and those of
// ClusterTrustBundles of its own signers.
func hasSystemPrefix(t stuck.Type, name string) bool {
	return strings.HasPrefix(name, "system:") ||
		t.Kind == "PriorityClass" && strings.HasPrefix(name, "system-") ||
		t.Kind == "ClusterTrustBundle" && strings.HasPrefix(name, "kubernetes.io:")
}

// isSystem reports whether an object is of the system: a namespace that a cluster needs, an object in one, or one without a
// namespace that Kubernetes creates itself.
func isSystem(t stuck.Type, m metav1.ObjectMeta) bool {
	if t.Namespaced {
		return isSystemNamespace(m.Namespace)
	}
	for _, key := range []string{bootstrappingLabel, autoManagedLabel, networkingv1.LabelManagedBy} {
		if _, ok := m.Labels[key]; ok {
			return true
		}
	}
	if _, ok := m.Annotations[flowcontrolv1.AutoUpdateAnnotationKey]; ok {
		return true
	}
	switch t.GroupKind() {
	case cluster.NamespaceType.GroupKind():
		return isSystemNamespace(m.Name)
	case cluster.NodeType.GroupKind(), cluster.CSINodeType.GroupKind():
		return true // a kubelet that runs does not create them again
	case networkingv1.SchemeGroupVersion.WithKind("ServiceCIDR").GroupKind():
		return m.Name == defaultServiceCIDR
	}
	return hasSystemPrefix(t, m.Name)
}

// isSystemNamespace reports whether a cluster needs a namespace: those of Kubernetes, whose prefix kube- is reserved
// (https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/), the default one, and those of OpenShift.
func isSystemNamespace(name string) bool {
	return name == "default" || name == "openshift" ||
		strings.HasPrefix(name, "kube-") || strings.HasPrefix(name, "openshift-")
}
