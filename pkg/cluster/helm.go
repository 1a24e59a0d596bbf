package cluster

import (
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// HelmReleaseSecrets are the Secrets in which Helm keeps the versions of a release.
// Only their names are read.
func (v *View) HelmReleaseSecrets(namespace, release string) List[stuck.Object] {
	return objectsOf(v.survey("helm "+namespace+"/"+release, SurveyRequest{
		Types: []stuck.Type{SecretType}, Selection: Selection{Namespace: namespace, Labels: "owner=helm,name=" + release},
		Keep: func(o stuck.Object) bool { return strings.HasPrefix(o.Name, "sh.helm.release.") },
	}))
}
