package health

import (
	"errors"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// TestUnlistableNow: of a type that the user may not list, nothing is said of its lists.
func TestUnlistableNow(t *testing.T) {
	of := func(name string) stuck.Type { return stuck.Type{Group: "example.com", Resource: name} }
	c := &checker{lists: []listResult{
		{Type: of("fine"), First: &metav1.PartialObjectMetadataList{}},
		{Type: of("failing"), Err: errors.New("conversion webhook failed")},
		{Type: of("hidden"), Err: apierrors.NewForbidden(schema.GroupResource{Group: "example.com", Resource: "hidden"}, "", nil)},
		{Type: of("unasked"), Err: errNotListed},
		{Type: of("other"), Err: errors.New("no concern of this webhook")},
	}}
	got := c.listStatus([]string{"fine.example.com", "failing.example.com", "hidden.example.com", "unasked.example.com"})
	want := []string{"cannot be listed now: failing.example.com", "can be listed now, as no object needs conversion: fine.example.com"}
	if !slices.Equal(got, want) {
		t.Errorf("it says %q, want %q", got, want)
	}
}

// A version that is neither served nor stored is never converted.
func TestSeveralVersions(t *testing.T) {
	for name, test := range map[string]struct {
		served, stored []string
		want           bool
	}{
		"two served":        {[]string{"v1", "v2"}, []string{"v2"}, true},
		"one in the schema": {[]string{"v2"}, []string{"v2"}, false},
		"an old one stored": {[]string{"v2"}, []string{"v1", "v2"}, true},
	} {
		crd := cluster.CRD{}
		for _, version := range []string{"v1", "v2"} {
			crd.Spec.Versions = append(crd.Spec.Versions, cluster.CRDVersion{Name: version, Served: slices.Contains(test.served, version)})
		}
		crd.Status.StoredVersions = test.stored
		if got := hasSeveralVersions(crd); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
