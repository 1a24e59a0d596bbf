package argocd

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Types of Argo CD.
var (
	applicationKind = schema.GroupKind{Group: "argoproj.io", Kind: "Application"}
	projectKind     = schema.GroupKind{Group: "argoproj.io", Kind: "AppProject"}
)
