package cluster

import (
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// MinorVersion is the minor version of Kubernetes, 37 for v1.37.1, false where it
// could not be read.
func (v *View) MinorVersion() (int, bool) {
	minor := memoizeWithGaps(v, "version", func() (int, []stuck.Gap) {
		text, err := v.shared.source.Version(v.ctx)
		if err != nil {
			return -1, []stuck.Gap{{Source: "/version", Error: apitext.ErrorMessage(err)}}
		}
		parsed, err := version.ParseGeneric(text)
		if err != nil {
			return -1, []stuck.Gap{{Source: "/version", Error: apitext.ErrorMessage(err)}}
		}
		return int(parsed.Minor()), nil
	})
	return minor, minor >= 0
}
