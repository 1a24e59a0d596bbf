package cluster

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
)

// revisionAnnotation numbers the ReplicaSets of a Deployment, and says on the Deployment
// which of them is the current one (kubernetes/pkg/controller/deployment/util/deployment_util.go).
const revisionAnnotation = "deployment.kubernetes.io/revision"

// RevisionCreated is when the current revision of a Deployment was first rolled out,
// false where that is not known: the pods of another kind of workload do not tell it.
func (v *View) RevisionCreated(w Workload) (time.Time, bool) {
	revision := w.Annotations[revisionAnnotation]
	if w.Type.Kind != "Deployment" || revision == "" {
		return time.Time{}, false
	}
	for _, set := range ReadList[appsv1.ReplicaSet](v, ReplicaSetType, Selection{Namespace: w.Namespace}).Items {
		for _, owner := range set.OwnerReferences {
			if owner.UID == w.UID && set.Annotations[revisionAnnotation] == revision {
				return set.CreationTimestamp.Time, true
			}
		}
	}
	return time.Time{}, false
}
