package argocd

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Types of Argo CD.
var (
	applicationKind = schema.GroupKind{Group: "argoproj.io", Kind: "Application"}
	projectKind     = schema.GroupKind{Group: "argoproj.io", Kind: "AppProject"}
)

// finalizersOf are those that Argo CD's controller removes from an Application
// once it has the project; a stage may follow the name
// (argoproj/argo-cd pkg/apis/application/v1alpha1/application_defaults.go).
func finalizersOf(o stuck.Object) []string {
	return slices.DeleteFunc(slices.Clone(o.Finalizers), func(f string) bool {
		name, _, _ := strings.Cut(f, "/")
		return name != "resources-finalizer.argocd.argoproj.io" &&
			name != "pre-delete-finalizer.argocd.argoproj.io" && name != "post-delete-finalizer.argocd.argoproj.io"
	})
}
