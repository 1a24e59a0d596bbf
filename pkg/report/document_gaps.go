package report

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Gap is something that could not be read, as it stands in a document.
type Gap struct {
	Cluster string `json:"cluster,omitempty"`
	// Source names what could not be read, as the screen does.
	Source string `json:"source"`
	// Resource is the type that could not be listed, such as "widgets.example.com".
	Resource string `json:"resource,omitempty"`
	// Namespace is the one that it could not be listed in, empty for all.
	Namespace string `json:"namespace,omitempty"`
	// GroupVersion is the API that could not be discovered.
	GroupVersion string `json:"groupVersion,omitempty"`
	// Verb is what the user would have to be allowed to do, or what failed.
	Verb    string    `json:"verb,omitempty"`
	Reason  GapReason `json:"reason"`
	Message string    `json:"message"`
}

// GapReason is why something could not be read.
type GapReason string

// The reasons. ReadFailed is any other error: the message has it.
const (
	GapForbidden       GapReason = "Forbidden"
	GapDiscoveryFailed GapReason = "DiscoveryFailed"
	GapDryRunSkipped   GapReason = "DryRunSkipped"
	GapReadFailed      GapReason = "ReadFailed"
)

func newGaps(gaps []stuck.Gap) []Gap {
	out := []Gap{}
	for _, g := range gaps {
		out = append(out, newGap(g))
	}
	return out
}

func newGap(g stuck.Gap) Gap {
	out := Gap{Source: g.Source, Namespace: g.Namespace, Reason: GapReadFailed, Message: g.Error}
	if !g.Type.Empty() {
		out.Resource, out.Verb = g.Type.String(), "list"
	}
	if !g.GroupVersion.Empty() {
		out.GroupVersion, out.Reason = g.GroupVersion.String(), GapDiscoveryFailed
	}
	if missing := g.MissingPermission; missing != nil {
		out.Verb, out.Reason = missing.Verb, GapForbidden
		if missing.Resource != "" {
			out.Resource = schema.GroupResource{Group: missing.Group, Resource: missing.Resource}.String()
		}
	}
	if g.ProbeSkipped {
		out.Reason = GapDryRunSkipped
	}
	return out
}
