package controller_test

import (
	"slices"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Kubernetes removes its own finalizers from its own types alone: on another type, one of them belongs to nobody that is known.
func TestFinalizersOfKubernetesOnOtherTypes(t *testing.T) {
	const finalizer = "kubernetes.io/pvc-protection"
	const elsewhere = "kube-controller-manager removes kubernetes.io/pvc-protection from PersistentVolumeClaim, and not from widgets.example.com: it may have been copied from another manifest"
	claim := stuck.Type{Version: "v1", Resource: "persistentvolumeclaims", Kind: "PersistentVolumeClaim", Namespaced: true}
	for _, typ := range []stuck.Type{widget, claim} {
		want := typ.Group == widget.Group
		t.Run(typ.Kind, func(t *testing.T) {
			view := cluster.NewView(t.Context(), newFakeSource(t, ""), []stuck.Type{typ}, nil)
			o := stuck.Object{Type: typ, Namespace: "shop", Name: "o1", UID: "uid-of-o1", DeletionTime: w1.DeletionTime, Finalizers: []string{finalizer}}
			found := controller.Find(view, known(t), o, finalizer)
			if got := slices.Contains(found.Facts, elsewhere); got != want {
				t.Errorf("said that it is not removed there: %t, want %t; facts: %q", got, want, found.Facts)
			}
			if project := found.Document(view)[0].Project; (project == "") != want {
				t.Errorf("belongs to %q", project)
			}
		})
	}
}

// Another project may well have begun to use its finalizer on one more type.
func TestKnownFinalizersOnOtherTypes(t *testing.T) {
	o := w1
	o.Finalizers = []string{"acme.cert-manager.io/finalizer"}
	view := newFakeSource(t, "").view()
	if got := controller.Find(view, known(t), o, o.Finalizers[0]).Document(view)[0].Project; got != "cert-manager" {
		t.Errorf("belongs to %q", got)
	}
}
