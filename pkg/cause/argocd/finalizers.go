package argocd

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Types of Argo CD.
var (
	argoCDApplication = schema.GroupKind{Group: "argoproj.io", Kind: "Application"}
	argoCDProject     = schema.GroupKind{Group: "argoproj.io", Kind: "AppProject"}
)
