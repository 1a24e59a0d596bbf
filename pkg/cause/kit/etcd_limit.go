package kit

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// etcdLimit is the largest request that etcd takes unless told otherwise
// (--max-request-bytes; DefaultMaxRequestBytes in go.etcd.io/etcd/server/v3/embed/config.go).
const etcdLimit = 1536 * 1024

// NearEtcdLimit is how large an object is that a small change can make too large. The
// JSON of an object is not exactly what is stored.
const NearEtcdLimit = etcdLimit * 85 / 100

// SizeLine says how large an object is.
func SizeLine(o stuck.Object, bytes int) string {
	return fmt.Sprintf("%s takes %.2f MiB as JSON; the default limit of etcd is 1.5 MiB for a request (--max-request-bytes)", o.Ref(), float64(bytes)/1024/1024)
}

// ShrinkSteps are how an object becomes small enough to be written again.
func ShrinkSteps(o stuck.Object) []stuck.Step {
	return []stuck.Step{
		{
			Action:      stuck.ActionCheck,
			Description: "see how large each part of the object is",
			Command:     stuck.Kubectlf(o.Namespace, `get %s %s -o json | jq 'map_values(tostring | length)'`, o.Type, o.Name),
		},
		{Action: stuck.ActionChange, Description: "remove what the object does not need, such as a long history (of the status: with --subresource=status)", Command: stuck.Kubectlf(o.Namespace, "edit %s %s", o.Type, o.Name)},
	}
}
