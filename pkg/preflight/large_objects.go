package preflight

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

const (
	// etcdLimit is the default of etcd's --max-request-bytes
	// (go.etcd.io/etcd/server/embed/config.go, DefaultMaxRequestBytes).
	etcdLimit = 3 << 19
	// nearEtcdLimit is how large an object is that a small change can make too large.
	nearEtcdLimit = etcdLimit * 85 / 100
)

// addLargeObjectGaps adds a gap for each object with finalizers that is near the limit of etcd: its
// deletion, and the removal of its finalizers, are updates, and a dry run does not reach etcd.
func addLargeObjectGaps(view *cluster.View, objects []stuck.Object) {
	held := slices.DeleteFunc(slices.Clone(objects), func(o stuck.Object) bool { return len(o.Finalizers) == 0 || o.Type.IsSecret() })
	for _, sameType := range stuck.GroupBy(held, func(o stuck.Object) string { return o.Type.String() }) {
		namespace := sameType[0].Namespace
		uids := map[types.UID]bool{}
		for _, o := range sameType {
			uids[o.UID] = true
			if o.Namespace != namespace {
				namespace = "" // all
			}
		}
		for _, large := range view.LargeObjects(sameType[0].Type, namespace, nearEtcdLimit).Items {
			if uids[large.Object.UID] {
				view.AddGaps(stuck.Gap{
					Source: "whether etcd accepts updates of " + large.Object.RefInNamespace(),
					Error:  fmt.Sprintf("the object has %d bytes, the limit is %d by default, and a dry run does not reach etcd", large.Bytes, etcdLimit),
				})
			}
		}
	}
}
