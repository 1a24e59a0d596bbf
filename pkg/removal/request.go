package removal

import (
	"net/http"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Request is one write, as it is sent.
type Request struct {
	Verb string
	Path string
	// Body is a JSON patch. For the finalize subresource it is what changes in
	// the namespace, which is sent whole, as it is then.
	Body any
}

// Requests are the writes of a step, in their order.
func (s Step) Requests() []Request {
	var out []Request
	path := pathOf(s.Object)
	if len(s.Finalizers) > 0 {
		out = append(out, Request{http.MethodPatch, path, patchOf(s.Object, s.Finalizers)})
	}
	if len(s.Spec) > 0 {
		kept := without(s.Object.SpecFinalizers, s.Spec)
		body := map[string]any{"spec": map[string]any{"finalizers": kept}}
		out = append(out, Request{http.MethodPut, path + "/finalize", body})
	}
	return out
}

func pathOf(o stuck.Object) string {
	path := "/apis/" + o.Type.Group + "/" + o.Type.Version
	if o.Type.Group == "" {
		path = "/api/" + o.Type.Version
	}
	if o.Namespace != "" {
		path += "/namespaces/" + o.Namespace
	}
	return path + "/" + o.Type.Resource + "/" + o.Name
}

// without is a list without some of its entries.
func without(list, taken []string) []string {
	return slices.DeleteFunc(append([]string{}, list...), func(name string) bool { return slices.Contains(taken, name) })
}
