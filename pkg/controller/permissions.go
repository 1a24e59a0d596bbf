package controller

import (
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// neededVerbs are what a workload must be allowed to do with the object of a controller to remove its finalizer, one verb of each.
// What watches a type needs no get.
// With which verb the workload removes it is known where it is what the catalog says.
func neededVerbs(w cluster.Workload, c Controller) [][]string {
	needed := [][]string{{"list"}, {"watch"}}
	match := c.CatalogMatch
	if len(match.Entries) != 1 || match.OtherType || len(match.Entries[0].Verbs) == 0 || !isComponent(w, match.Entries[0].Component) {
		return append(needed, []string{"update", "patch"})
	}
	for _, verb := range match.Entries[0].Verbs {
		needed = append(needed, []string{verb})
	}
	return needed
}

// MissingVerbs are the verbs on the object of a controller that a workload's account is not allowed
// and that the workload needs to remove the finalizer; false where not all roles could be read, or it uses other credentials.
func MissingVerbs(view *cluster.View, w cluster.Workload, c Controller) (missing []string, known bool) {
	bindings := view.Bindings(c.Object.Namespace)
	for _, verbs := range neededVerbs(w, c) {
		if !anyBindingAllows(bindings.Items, w, c.Object, verbs) {
			missing = append(missing, strings.Join(verbs, " or "))
		}
	}
	return missing, bindings.Complete && !hasOtherCredentials(w)
}

// hasOtherCredentials reports whether a workload is told to use other credentials than its ServiceAccount's, or has none of
// that: what the account may do says nothing of it then.
func hasOtherCredentials(w cluster.Workload) bool {
	spec := w.PodTemplate.Spec
	if spec.AutomountServiceAccountToken != nil && !*spec.AutomountServiceAccountToken {
		return true
	}
	return slices.ContainsFunc(spec.Containers, func(c corev1.Container) bool {
		isKubeconfig := func(arg string) bool { return kubeconfigFlag.MatchString(arg) }
		return slices.ContainsFunc(c.Env, func(env corev1.EnvVar) bool {
			return env.Name == "KUBECONFIG" && (env.Value != "" || env.ValueFrom != nil)
		}) || slices.ContainsFunc(slices.Concat(c.Command, c.Args), isKubeconfig)
	})
}

// kubeconfigFlag is the flag by which clients of Kubernetes take a kubeconfig or the address of an API server.
var kubeconfigFlag = regexp.MustCompile(`^--?(kubeconfig|master)(=.|$)`)

// AccountMay reports whether a service account is allowed a verb on an object's type, where the object
// is; known is false where not all roles could be read.
func AccountMay(view *cluster.View, namespace, account string, o stuck.Object, verb string) (allowed, known bool) {
	w := cluster.Workload{Namespace: namespace}
	w.PodTemplate.Spec.ServiceAccountName = account
	bindings := view.Bindings(o.Namespace)
	return anyBindingAllows(bindings.Items, w, o, []string{verb}), bindings.Complete
}

// anyBindingAllows reports whether any binding allows a workload's account one of the verbs.
func anyBindingAllows(bindings []cluster.Binding, w cluster.Workload, o stuck.Object, verbs []string) bool {
	return slices.ContainsFunc(bindings, func(b cluster.Binding) bool {
		return bindsAccountOf(b, w) && allowsOnObject(b, o, verbs)
	})
}

// bindsAccountOf reports whether a binding holds for a workload's account, by itself or
// through the groups that every account belongs to.
func bindsAccountOf(b cluster.Binding, w cluster.Workload) bool {
	for _, subject := range b.Subjects {
		if a, ok := serviceAccountOf(subject, b); ok && a == (serviceAccount{w.Namespace, w.ServiceAccountName()}) {
			return true
		}
		switch subject.Name {
		case "system:serviceaccounts", "system:serviceaccounts:" + w.Namespace, "system:authenticated":
			return true
		}
	}
	return false
}

// allowsOnObject reports whether a binding's rules allow a verb on the object itself; the
// subresource for finalizers is not enough to write it, nor is a rule that names other objects.
func allowsOnObject(b cluster.Binding, o stuck.Object, verbs []string) bool {
	for _, r := range b.Rules {
		named := len(r.ResourceNames) == 0 || slices.Contains(r.ResourceNames, o.Name)
		if named && containsOrWildcard(r.APIGroups, o.Type.Group) && containsOrWildcard(r.Resources, o.Type.Resource) &&
			slices.ContainsFunc(verbs, func(v string) bool { return containsOrWildcard(r.Verbs, v) }) {
			return true
		}
	}
	return false
}
