package catalog

import (
	"strings"
	"testing"
)

func TestSearch(t *testing.T) {
	c := load(t)
	if found := c.Search("rook"); len(found) < 2 || found[0].Project != "Rook" {
		t.Errorf("rook finds %d entries", len(found))
	}
	if found := c.Search("percona mysql pvc"); len(found) == 0 || !strings.Contains(found[0].Name(), "pvc") {
		t.Errorf("several words find %d entries", len(found))
	}
	if found := c.Search("cert-manager.io challenge"); len(found) != 2 {
		t.Errorf("a name and a type find %d entries, want 2", len(found))
	}
	if found := c.Search("xyzzy"); len(found) != 0 {
		t.Errorf("nonsense finds %d entries", len(found))
	}
	if found := c.Search(""); len(found) != len(c.Entries()) {
		t.Errorf("nothing finds %d entries, want all", len(found))
	}
}

func TestNear(t *testing.T) {
	c := load(t)
	for slip, want := range map[string]string{
		"kubernetes.io/pvc-protecton":  "kubernetes.io/pvc-protection",
		"service.k8s.aws/resource":     "service.k8s.aws/resources",
		"karpenter.sh/terminate":       "karpenter.sh/termination",
		"foregroundDelete":             "foregroundDeletion",
		"velero.io/something-brandnew": "velero.io/pod-volume-finalizer",
	} {
		near := c.Similar(slip, 8)
		found := false
		for _, entry := range near {
			found = found || entry.Name() == want
		}
		if !found {
			t.Errorf("%s is near %d others, and %s is not among them", slip, len(near), want)
		}
	}
	if near := c.Similar("completely.unlike/anything-else-there-is", 5); len(near) != 0 {
		t.Errorf("a strange name is near %s", near[0].Name())
	}
}
