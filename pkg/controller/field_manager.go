package controller

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// fieldManagerClue looks at who set the finalizer.
func fieldManagerClue(s *search) {
	for _, m := range s.view.FinalizerManagers(s.controller.Object, s.controller.Finalizer) {
		s.controller.Facts = append(s.controller.Facts, setByLine(s.view, m))
		if !IsGenericManager(m.Name) {
			s.controller.Setters = append(s.controller.Setters, m)
		}
	}
}

// SetByEvidence says who set a finalizer, and when a controller last wrote, where the
// object's managedFields tell. When a person last wrote tells nothing about a controller.
func SetByEvidence(view *cluster.View, o stuck.Object, finalizer string) []string {
	var out []string
	for _, m := range view.FinalizerManagers(o, finalizer) {
		out = append(out, setByLine(view, m))
	}
	return out
}

func setByLine(view *cluster.View, m cluster.FieldManager) string {
	line := "field manager " + m.Name + " set the finalizer"
	switch {
	case m.Name == "":
		line = "a field manager without a name set the finalizer"
	case strings.HasPrefix(m.Name, "kubectl"):
		return line + " by hand or by a script"
	}
	if !m.LastWrite.IsZero() {
		line += " (last write" + agoText(view, m.LastWrite) + ")"
	}
	return line
}

// IsGenericManager reports whether the name of a field manager identifies nothing: what clients
// use that were not told their name, and people's own tools.
func IsGenericManager(manager string) bool {
	switch manager {
	case "kube-controller-manager", "k3s", "kubelite": // it copies what the template of a Pod has; K3s and MicroK8s contain it
		return true
	case "", "manager", "main", "controller", "operator", "Mozilla", "Go-http-client", "unknown", "python-requests", "OpenAPI-Generator", "fabric8-kubernetes-client", "before-first-apply":
		return true
	}
	return strings.HasPrefix(manager, "kubectl") || strings.HasPrefix(manager, "helm")
}

// IsManualManager reports whether a field manager is a person, or a person's script.
func IsManualManager(manager string) bool {
	return manager == "" || manager == "Mozilla" || strings.HasPrefix(manager, "kubectl") || strings.HasPrefix(manager, "helm")
}

// Writers are the field managers that wrote the status of the object, or set the finalizer: the controller may be one of
// them. The status of a built-in type is written by Kubernetes itself, and for as long as the object exists.
func Writers(view *cluster.View, w Controller) []cluster.FieldManager {
	status := slices.DeleteFunc(view.StatusManagers(w.Object), func(m cluster.FieldManager) bool {
		return stuck.IsBuiltInGroup(w.Object.Type.Group) && isKubernetes(m.Name)
	})
	return append(status, w.Setters...)
}

// isKubernetes reports whether a field manager is a program of Kubernetes itself, or one that contains them: that of K3s or of
// MicroK8s.
func isKubernetes(manager string) bool {
	switch manager {
	case "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "k3s", "kubelite":
		return true
	}
	return false
}

// workloadNameClue looks for workloads that are called like a field manager which set
// the finalizer: client-go takes the name of the running program.
func workloadNameClue(s *search) {
	for _, m := range s.controller.Setters {
		found := false
		for _, c := range s.candidates {
			if matchesName(c.Workload, m.Name) {
				s.addClue(c.Workload, weightStrong, "set the finalizer%s (field manager %s)", agoText(s.view, m.LastWrite), m.Name)
				found = true
			}
		}
		if found || len(validation.IsDNS1123Subdomain(m.Name)) > 0 {
			continue
		}
		named := s.view.WorkloadsNamed(m.Name)
		s.requireComplete(named.Complete)
		for _, w := range named.Items {
			if s.isOfAnotherNamespace(w) {
				s.addOtherActor(OtherActor{Description: fmt.Sprintf("%s (it has the name of field manager %s, and its permissions are for its own namespace)", w.RefInNamespace(), m.Name)})
				continue
			}
			s.addClue(w, weightStrong, "has the name of field manager %s, which set the finalizer%s", m.Name, agoText(s.view, m.LastWrite))
		}
		if named.IsKnownEmpty() {
			s.addNotFound("", "no deployment, statefulset or daemonset is named %s, like the field manager that set the finalizer", m.Name)
		}
	}
}

// isOfAnotherNamespace reports whether a workload is the controller of its own namespace alone: it may write the type there, and not where
// the object is. Each tenant may have such a controller, by the same name.
func (s *search) isOfAnotherNamespace(w cluster.Workload) bool {
	o := s.controller.Object
	if o.Namespace == "" || w.Namespace == o.Namespace {
		return false
	}
	if missing, known := MissingVerbs(s.view, w, s.controller); !known || len(missing) == 0 {
		return false
	}
	o.Namespace = w.Namespace
	missing, known := MissingVerbs(s.view, w, Controller{Object: o, CatalogMatch: s.controller.CatalogMatch})
	return known && len(missing) == 0
}

// agoText is " 3h ago", nothing where the time is not known.
func agoText(view *cluster.View, t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return " " + duration.HumanDuration(view.Now().Sub(t)) + " ago"
}

// matchesName reports whether a workload has a name: its own, that of its account,
// a container, or the program that a container runs.
func matchesName(w cluster.Workload, name string) bool {
	if w.Name == name || w.ServiceAccountName() == name {
		return true
	}
	for _, c := range w.PodTemplate.Spec.Containers {
		command := append(slices.Clone(c.Command), "")[0]
		if c.Name == name && !IsGenericManager(name) || path.Base(command) == name {
			return true
		}
	}
	return false
}

// RunsAs reports whether a workload runs the program that a field manager is named after.
func RunsAs(w cluster.Workload, manager string) bool {
	return !IsGenericManager(manager) && matchesName(w, manager)
}
