package controller

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// LogsCommand prints the log of a candidate: of its own container where kubectl would take another, and of all its pods, of
// which often one alone is at work. A DaemonSet may have thousands of pods.
func (c Candidate) LogsCommand() string {
	format, args := "logs %s", []any{c.Ref()}
	if c.container != "" {
		format, args = format+" -c %s", append(args, c.container)
	}
	if c.Desired > 1 && c.Type.Kind != "DaemonSet" {
		format += " --all-pods"
	}
	return stuck.Kubectlf(c.Namespace, format, args...)
}

// defaultContainerAnnotation names the container that kubectl takes (k8s.io/kubectl/pkg/cmd/util/podcmd).
const defaultContainerAnnotation = "kubectl.kubernetes.io/default-container"

// containerToRead is the container of a workload that runs the controller, empty where kubectl takes it by itself: the one that the
// catalog knows, or else the first that is no proxy.
func containerToRead(w cluster.Workload, known catalog.Match) string {
	all := w.PodTemplate.Spec.Containers
	if len(all) < 2 {
		return ""
	}
	taken, annotated := w.PodTemplate.Annotations[defaultContainerAnnotation]
	if !annotated {
		taken = all[0].Name
	}
	isController := func(c corev1.Container) bool {
		return slices.ContainsFunc(known.Entries, func(e catalog.Entry) bool { return slices.Contains(e.Component.Containers, c.Name) })
	}
	i := slices.IndexFunc(all, isController)
	if i < 0 && !annotated {
		i = slices.IndexFunc(all, func(c corev1.Container) bool { return !strings.HasSuffix(c.Name, "proxy") })
	}
	if i < 0 || all[i].Name == taken {
		return ""
	}
	return all[i].Name
}
