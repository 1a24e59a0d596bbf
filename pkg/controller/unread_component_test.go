package controller_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// unlistable is a source whose user may not list one type, or only not in all namespaces at once.
type unlistable struct {
	*fakeSource
	resource string
	atOnce   bool
}

func (s unlistable) List(ctx context.Context, t stuck.Type, sel cluster.Selection, visit func(unstructured.Unstructured)) error {
	if t.Resource == s.resource && (!s.atOnce || sel.Namespace == "") {
		return apierrors.NewForbidden(t.GVR().GroupResource(), "", nil)
	}
	return s.fakeSource.List(ctx, t, sel, visit)
}

// What could not be read is not said to be missing.
func TestUnreadWorkloadsAreNotMissing(t *testing.T) {
	challenge := stuck.Type{Group: "acme.cert-manager.io", Version: "v1", Resource: "challenges", Kind: "Challenge", Namespaced: true}
	content := stuck.Type{Group: "snapshot.storage.k8s.io", Version: "v1", Resource: "volumesnapshotcontents", Kind: "VolumeSnapshotContent"}
	for _, test := range []struct {
		typ                             stuck.Type
		finalizer, absent, said, unread string
		atOnce                          bool
	}{
		{challenge, "acme.cert-manager.io/finalizer", "no workload of that name exists", "cert-manager usually runs as deployment/cert-manager; not all workloads could be read", "deployments", false},
		{challenge, "acme.cert-manager.io/finalizer", "no workload of that name exists", "cert-manager usually runs as deployment/cert-manager; not all workloads could be read", "deployments", true},
		{content, "snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection", "has that container", "", "clusterrolebindings", false},
	} {
		o, manifests := stuckAt(test.typ, test.finalizer, "manager")
		for _, isRead := range []bool{true, false} {
			fake := newFakeSource(t, manifests)
			var source cluster.Source = unlistable{fake, test.unread, test.atOnce}
			if isRead {
				source = fake
			}
			view := cluster.NewView(t.Context(), source, []stuck.Type{test.typ}, nil)
			clues := controller.Find(view, known(t), o, test.finalizer).Document(view)[0].Clues
			isAbsent := slices.ContainsFunc(clues, func(line string) bool { return strings.Contains(line, test.absent) })
			if isAbsent != isRead || test.said != "" && slices.Contains(clues, test.said) == isRead {
				t.Errorf("%s, read %t: %q", test.finalizer, isRead, clues)
			}
		}
	}
}
