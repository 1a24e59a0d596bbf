package owner

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Labels and annotations by which installers mark what they install.
const (
	helmRelease   = "meta.helm.sh/release-name" // helm/pkg/action/validate.go
	helmNamespace = "meta.helm.sh/release-namespace"
	instance      = "app.kubernetes.io/instance" // kubernetes.io/docs: recommended labels
	partOf        = "app.kubernetes.io/part-of"
	argoTracking  = "argocd.argoproj.io/tracking-id" // argo-cd/common/common.go
	fluxHelm      = "helm.toolkit.fluxcd.io/"        // fluxcd/pkg/ssa
	fluxKustomize = "kustomize.toolkit.fluxcd.io/"
	olmOperator   = "operators.coreos.com/" // operator-framework/operator-lifecycle-manager
)

// provenance looks at who installed the definition of the object's type: what
// installed the type usually installed its controller too.
func provenance(s *search) {
	if builtInType(s) {
		return
	}
	crd := s.see.CRDMetadata(s.owner.Object.Type)
	s.needs(crd.Found() || crd.Absent())
	if crd.Absent() {
		aggregated(s)
	}
	if !crd.Found() {
		return
	}
	labels, annotations := crd.Value.Labels, crd.Value.Annotations
	if release := annotations[helmRelease]; release != "" {
		helm(s, release, annotations[helmNamespace])
	}
	if id := annotations[argoTracking]; id != "" {
		application, _, _ := strings.Cut(id, ":")
		s.fact("its CRD is deployed by Argo CD application %s", application)
	}
	for _, tool := range []string{fluxHelm, fluxKustomize} {
		if name := labels[tool+"name"]; name != "" {
			s.fact("its CRD is deployed by Flux (%s %s/%s)", strings.TrimSuffix(tool, ".toolkit.fluxcd.io/"), labels[tool+"namespace"], name)
		}
	}
	for _, label := range slices.Sorted(maps.Keys(labels)) {
		if operator, ok := strings.CutPrefix(label, olmOperator); ok {
			olm(s, operator)
		}
	}
	for _, key := range []string{instance, partOf} {
		if value := labels[key]; value != "" {
			labelled(s, key, value)
		}
	}
}

// builtInType says whether the type is one of Kubernetes itself, which no CRD
// defines.
func builtInType(s *search) bool { return stuck.BuiltIn(s.owner.Object.Type.Group) }

// helm looks for the release that installed the type.
func helm(s *search, release, namespace string) {
	if !isNamespace(namespace) {
		s.fact("the CRD came with Helm release %s, and does not say from where", release)
		return
	}
	runs := s.see.Workloads(namespace)
	s.needs(runs.Complete)
	ofRelease := slices.DeleteFunc(slices.Clone(runs.Items), func(w cluster.Workload) bool {
		return w.Annotations[helmRelease] != release
	})
	for _, w := range ofRelease {
		s.point(w, fair, "its Helm release %s installed the CRD of %s", release, s.owner.Object.Type)
	}
	if len(ofRelease) > 0 || !runs.Complete {
		return
	}
	kept := s.see.HelmReleases(namespace, release)
	if kept.None() {
		s.gone(namespace, "the CRD came with Helm release %s in namespace %s, which is uninstalled", release, namespace)
		return
	}
	s.trace(namespace, "the CRD came with Helm release %s in namespace %s, of which nothing runs", release, namespace)
}

// olm looks for an operator that the Operator Lifecycle Manager installed; its
// label names package and namespace.
func olm(s *search, operator string) {
	i := strings.LastIndex(operator, ".")
	if i <= 0 || !isNamespace(operator[i+1:]) {
		return
	}
	name, namespace := operator[:i], operator[i+1:]
	if len(operator) >= mostOfALabel {
		s.fact("the CRD came with operator %s of OLM, whose namespace may be cut short: %s", name, namespace)
		return
	}
	runs := s.see.Workloads(namespace)
	s.needs(runs.Complete)
	found := false
	for _, w := range runs.Items {
		if w.Labels["olm.owner"] != "" || w.Labels["olm.managed"] != "" {
			s.point(w, fair, "operator %s of OLM in its namespace installed the CRD of %s", name, s.owner.Object.Type)
			found = true
		}
	}
	if !found && runs.Complete {
		s.trace(namespace, "the CRD came with operator %s of OLM in namespace %s, of which nothing runs", name, namespace)
	}
}

// mostOfALabel is where OLM cuts off the name of its label, from which on the
// namespace at its end may be another.
const mostOfALabel = validation.DNS1123LabelMaxLength - 3

// isNamespace says whether a word can be the name of a namespace. Where it
// cannot, to ask for what it holds would ask for all namespaces, or fail.
func isNamespace(name string) bool { return len(validation.IsDNS1123Label(name)) == 0 }

// aggregated looks behind the Service of an API that no CRD defines but a
// server of its own serves.
func aggregated(s *search) {
	t := s.owner.Object.Type
	api := s.see.APIService(t.Group, t.Version)
	s.needs(api.Found() || api.Absent())
	if api.Found() && api.Value.Spec.Service != nil {
		behind(s, *api.Value.Spec.Service, backend{what: fmt.Sprintf("%s/%s, the API of its type", t.Group, t.Version), weight: fair})
	}
}

// labelled looks for workloads that carry the same recommended label as the
// type.
func labelled(s *search, key, value string) {
	same := s.see.WorkloadsLabelled(key, value)
	s.needs(same.Complete)
	for _, w := range same.Items {
		s.point(w, weak, "it carries the label %s=%s, like the CRD of %s", key, value, s.owner.Object.Type)
	}
	if same.None() {
		s.trace("", "the CRD carries the label %s=%s, and no workload does", key, value)
	}
}
