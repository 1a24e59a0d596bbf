package owner

import (
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Lacks are the verbs on an object that a workload's account is not allowed
// and that a controller needs; false where not all roles could be read.
func Lacks(see *cluster.View, w cluster.Workload, o stuck.Object) (missing []string, known bool) {
	bindings := see.Bindings(o.Namespace)
	for _, verbs := range [][]string{{"get"}, {"list"}, {"watch"}, {"update", "patch"}} {
		if !may(bindings.Items, w, o.Type, verbs) {
			missing = append(missing, strings.Join(verbs, " or "))
		}
	}
	return missing, bindings.Complete
}

// may says whether any binding allows a workload's account one of the verbs.
func may(bindings []cluster.Binding, w cluster.Workload, t stuck.Type, verbs []string) bool {
	return slices.ContainsFunc(bindings, func(b cluster.Binding) bool {
		return means(b, w) && allowsExactly(b, t, verbs)
	})
}

// means says whether a binding holds for a workload's account, by itself or
// through the groups that every account belongs to.
func means(b cluster.Binding, w cluster.Workload) bool {
	for _, subject := range b.Subjects {
		if a, ok := accountOf(subject, b); ok && a == (account{w.Namespace, w.Account()}) {
			return true
		}
		switch subject.Name {
		case "system:serviceaccounts", "system:serviceaccounts:" + w.Namespace, "system:authenticated":
			return true
		}
	}
	return false
}

// allowsExactly says whether a binding's rules allow a verb on the type
// itself; the subresource for finalizers is not enough to write it.
func allowsExactly(b cluster.Binding, t stuck.Type, verbs []string) bool {
	for _, r := range b.Rules {
		if hasOrAll(r.APIGroups, t.Group) && hasOrAll(r.Resources, t.Resource) &&
			slices.ContainsFunc(verbs, func(v string) bool { return hasOrAll(r.Verbs, v) }) {
			return true
		}
	}
	return false
}

// Scope is the namespaces that a controller was told to work in.
type Scope struct {
	Namespaces []string
	// From is where it was told.
	From string
}

// Holds says whether a namespace is in scope.
func (s Scope) Holds(namespace string) bool { return slices.Contains(s.Namespaces, namespace) }

// Watched is the scope of a workload, nil where it has none that can be read:
// then it works everywhere.
func Watched(w cluster.Workload) *Scope {
	for _, c := range w.Pod.Spec.Containers {
		for _, env := range c.Env {
			// WATCH_NAMESPACE is the convention of the Operator SDK.
			if (env.Name == "WATCH_NAMESPACE" || env.Name == "WATCH_NAMESPACES") && env.ValueFrom == nil && env.Value != "" {
				return inScope(env.Value, env.Name)
			}
			if env.Name == "WATCH_NAMESPACE" && env.ValueFrom != nil && env.ValueFrom.FieldRef != nil {
				return fromField(w, env.ValueFrom.FieldRef.FieldPath)
			}
		}
		for _, arg := range slices.Concat(c.Command, c.Args) {
			for _, flag := range []string{"--watch-namespace=", "--watch-namespaces=", "--namespaces="} {
				if value, ok := strings.CutPrefix(arg, flag); ok && value != "" {
					return inScope(value, strings.TrimSuffix(flag, "="))
				}
			}
		}
	}
	return nil
}

// fromField is the scope that is taken from the Pod itself: its own namespace,
// or the OperatorGroup's, which OLM writes into an annotation.
func fromField(w cluster.Workload, path string) *Scope {
	switch path {
	case "metadata.namespace":
		return &Scope{Namespaces: []string{w.Namespace}, From: "WATCH_NAMESPACE"}
	case "metadata.annotations['olm.targetNamespaces']":
		if value := w.Pod.Annotations["olm.targetNamespaces"]; value != "" {
			return inScope(value, "the OperatorGroup")
		}
	}
	return nil
}

// inScope is the scope that a list of namespaces means. What is no plain name,
// such as "*", a pattern or a variable, may mean any namespace.
func inScope(list, from string) *Scope {
	namespaces := words(list)
	if len(namespaces) == 0 || slices.ContainsFunc(namespaces, func(n string) bool { return !isNamespace(n) }) {
		return nil
	}
	return &Scope{Namespaces: namespaces, From: from}
}

func words(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}
