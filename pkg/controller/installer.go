package controller

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
	annotationHelmRelease    = "meta.helm.sh/release-name" // helm/pkg/action/validate.go
	annotationHelmNamespace  = "meta.helm.sh/release-namespace"
	labelName                = "app.kubernetes.io/name"
	labelInstance            = "app.kubernetes.io/instance" // kubernetes.io/docs: recommended labels
	labelPartOf              = "app.kubernetes.io/part-of"
	annotationArgoTracking   = "argocd.argoproj.io/tracking-id" // argo-cd/common/common.go
	labelPrefixFluxHelm      = "helm.toolkit.fluxcd.io/"        // fluxcd/pkg/ssa
	labelPrefixFluxKustomize = "kustomize.toolkit.fluxcd.io/"
	labelPrefixOLMOperator   = "operators.coreos.com/" // operator-framework/operator-lifecycle-manager
)

// installerClue looks at who installed the definition of the object's type: what
// installed the type usually installed its controller too.
func installerClue(s *search) {
	if isBuiltInType(s) {
		return
	}
	crd := s.view.CRDMetadata(s.controller.Object.Type)
	s.requireComplete(crd.Found() || crd.Absent())
	if crd.Absent() {
		apiServiceClue(s)
	}
	if !crd.Found() {
		return
	}
	labels, annotations := crd.Value.Labels, crd.Value.Annotations
	if release := annotations[annotationHelmRelease]; release != "" {
		helmClue(s, release, annotations[annotationHelmNamespace])
	}
	if id := annotations[annotationArgoTracking]; id != "" {
		application, _, _ := strings.Cut(id, ":")
		s.addFact("Argo CD application %s deploys the CRD", application)
	}
	for _, tool := range []string{labelPrefixFluxHelm, labelPrefixFluxKustomize} {
		if name := labels[tool+"name"]; name != "" {
			s.addFact("Flux (%s %s%s) deploys the CRD", strings.TrimSuffix(tool, ".toolkit.fluxcd.io/"), name, stuck.InNamespace(labels[tool+"namespace"]))
		}
	}
	for _, label := range slices.Sorted(maps.Keys(labels)) {
		if operator, ok := strings.CutPrefix(label, labelPrefixOLMOperator); ok {
			olmClue(s, operator)
		}
	}
	for _, key := range []string{labelInstance, labelPartOf} {
		if value := labels[key]; value != "" {
			labelClue(s, key, value)
		}
	}
}

// isBuiltInType reports whether the type is one of Kubernetes itself, which no CRD
// defines.
func isBuiltInType(s *search) bool { return stuck.IsBuiltInGroup(s.controller.Object.Type.Group) }

// helmClue looks for the release that installed the type.
func helmClue(s *search, release, namespace string) {
	if !isNamespaceName(namespace) {
		s.addFact("Helm release %s installed the CRD; the CRD does not name its namespace", release)
		return
	}
	workloads := s.view.Workloads(namespace)
	s.requireComplete(workloads.Complete)
	ofThisRelease := slices.DeleteFunc(slices.Clone(workloads.Items), func(w cluster.Workload) bool {
		return w.Annotations[annotationHelmRelease] != release
	})
	for _, w := range ofThisRelease {
		s.addClue(w, weightFair, "belongs to Helm release %s, which installed the CRD of %s", release, s.controller.Object.Type)
	}
	if len(ofThisRelease) > 0 || !workloads.Complete {
		return
	}
	releases := s.view.HelmReleaseSecrets(namespace, release)
	if releases.IsKnownEmpty() {
		s.addDeleted(namespace, "Helm release %s%s, which installed the CRD, was uninstalled", release, stuck.InNamespace(namespace))
		return
	}
	s.addNotFound(namespace, "Helm release %s%s installed the CRD, and has no deployment, statefulset or daemonset", release, stuck.InNamespace(namespace))
}

// olmClue looks for an operator that the Operator Lifecycle Manager installed; its
// label names package and namespace.
func olmClue(s *search, operator string) {
	i := strings.LastIndex(operator, ".")
	if i <= 0 || !isNamespaceName(operator[i+1:]) {
		return
	}
	name, namespace := operator[:i], operator[i+1:]
	if len(operator) >= maxOLMLabelLength {
		s.addFact("OLM operator %s installed the CRD; the name of its namespace may be truncated: %s", name, namespace)
		return
	}
	workloads := s.view.Workloads(namespace)
	s.requireComplete(workloads.Complete)
	found := false
	for _, w := range workloads.Items {
		if w.Labels["olm.owner"] != "" || w.Labels["olm.managed"] != "" {
			s.addClue(w, weightFair, "is managed by OLM in the namespace of operator %s, which installed the CRD of %s", name, s.controller.Object.Type)
			found = true
		}
	}
	if !found && workloads.Complete {
		s.addNotFound(namespace, "OLM operator %s%s installed the CRD, and has no deployment, statefulset or daemonset", name, stuck.InNamespace(namespace))
	}
}

// maxOLMLabelLength is where OLM cuts off the name of its label, from which on the
// namespace at its end may be another.
const maxOLMLabelLength = validation.DNS1123LabelMaxLength - 3

// isNamespaceName reports whether a word can be the name of a namespace. Where it
// cannot, to ask for what it holds would ask for all namespaces, or fail.
func isNamespaceName(name string) bool { return len(validation.IsDNS1123Label(name)) == 0 }

// apiServiceClue looks behind the Service of an API that no CRD defines but a
// server of its own serves. That it serves and stores the objects does not mean
// that it removes finalizers: the controllers of such APIs are mostly others.
func apiServiceClue(s *search) {
	t := s.controller.Object.Type
	api := s.view.APIService(t.Group, t.Version)
	s.requireComplete(api.Found() || api.Absent())
	if api.Found() && api.Value.Spec.Service != nil {
		serviceClue(s, *api.Value.Spec.Service, calledService{description: fmt.Sprintf("apiservice/%s.%s", t.Version, t.Group), weight: weightWeak, servesType: true})
	}
}

// labelClue looks for workloads that carry the same recommended label as the
// type.
func labelClue(s *search, key, value string) {
	labeled := s.view.WorkloadsLabeled(key, value)
	s.requireComplete(labeled.Complete)
	for _, w := range labeled.Items {
		s.addClue(w, weightWeak, "has the label %s=%s, like the CRD of %s", key, value, s.controller.Object.Type)
	}
	if labeled.IsKnownEmpty() {
		s.addNotFound("", "the CRD has the label %s=%s, which no workload has", key, value)
	}
}
