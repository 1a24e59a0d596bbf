package owner

import (
	"path"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// fieldManager looks at who set the finalizer.
func fieldManager(s *search) {
	for _, m := range s.see.SetBy(s.owner.Object, s.owner.Finalizer) {
		s.owner.Facts = append(s.owner.Facts, wrote(s.see, m))
		if !Generic(m.Name) {
			s.owner.Setters = append(s.owner.Setters, m)
		}
	}
}

// SetBy says who set a finalizer and when, where the object's managedFields
// tell.
func SetBy(see *cluster.View, o stuck.Object, finalizer string) []string {
	var out []string
	for _, m := range see.SetBy(o, finalizer) {
		out = append(out, wrote(see, m))
	}
	return out
}

func wrote(see *cluster.View, m cluster.Manager) string {
	line := "set by field manager " + m.Name
	if strings.HasPrefix(m.Name, "kubectl") {
		line = "set by hand or by a script (field manager " + m.Name + ")"
	}
	if !m.At.IsZero() {
		line += ", which last wrote to it " + duration.HumanDuration(see.Now().Sub(m.At)) + " ago"
	}
	return line
}

// Generic says whether the name of a field manager tells nothing: what clients
// use that were not told their name, and people's own tools.
func Generic(manager string) bool {
	switch manager {
	case "kube-controller-manager": // it copies what the template of a Pod has
		return true
	case "", "manager", "main", "controller", "operator", "Mozilla", "Go-http-client", "unknown", "python-requests", "OpenAPI-Generator", "fabric8-kubernetes-client", "before-first-apply":
		return true
	}
	return strings.HasPrefix(manager, "kubectl") || strings.HasPrefix(manager, "helm")
}

// ByHand says whether a field manager is a person, or a person's script.
func ByHand(manager string) bool {
	return manager == "" || manager == "Mozilla" || strings.HasPrefix(manager, "kubectl") || strings.HasPrefix(manager, "helm")
}

// namesake looks for workloads that are called like a field manager which set
// the finalizer: client-go takes the name of the running program.
func namesake(s *search) {
	for _, m := range s.owner.Setters {
		found := false
		for _, c := range s.pool {
			if called(c.Workload, m.Name) {
				s.point(c.Workload, strong, "it set the finalizer%s (field manager %s)", ago(s.see, m.At), m.Name)
				found = true
			}
		}
		if found || len(validation.IsDNS1123Subdomain(m.Name)) > 0 {
			continue
		}
		named := s.see.WorkloadsNamed(m.Name)
		s.needs(named.Complete)
		for _, w := range named.Items {
			s.point(w, strong, "the finalizer was set%s by field manager %s, and it is called so", ago(s.see, m.At), m.Name)
		}
		if named.None() {
			s.trace("", "no deployment, statefulset or daemonset is called %s, like the field manager that set the finalizer", m.Name)
		}
	}
}

// ago is " 3h ago", nothing where the time is not known.
func ago(see *cluster.View, t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return " " + duration.HumanDuration(see.Now().Sub(t)) + " ago"
}

// called says whether a workload goes by a name: its own, that of its account,
// a container, or the program that a container runs.
func called(w cluster.Workload, name string) bool {
	if w.Name == name || w.Account() == name {
		return true
	}
	for _, c := range w.Pod.Spec.Containers {
		command := append(slices.Clone(c.Command), "")[0]
		if c.Name == name && !Generic(name) || path.Base(command) == name {
			return true
		}
	}
	return false
}
