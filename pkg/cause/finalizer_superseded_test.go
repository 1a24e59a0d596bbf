package cause

import (
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func TestImageTag(t *testing.T) {
	for image, want := range map[string]string{
		"openpolicyagent/gatekeeper:v3.21.0":             "v3.21.0",
		"registry.example.com:5000/gatekeeper":           "",
		"registry.example.com:5000/gatekeeper:v3.21.0":   "v3.21.0",
		"gatekeeper:v3.21.0@sha256:0123456789abcdef0123": "v3.21.0",
		"gatekeeper@sha256:0123456789abcdef0123":         "",
	} {
		if got := imageTag(image); got != want {
			t.Errorf("the tag of %s is %q, not %q", image, got, want)
		}
	}
}

// A slow controller, and one that uses two finalizers, must not look like one that renamed its finalizer.
func TestSuccessors(t *testing.T) {
	upgrade := time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)
	object := func(hours int, finalizers ...string) stuck.Object {
		return stuck.Object{CreationTime: upgrade.Add(time.Duration(hours) * time.Hour), Finalizers: finalizers}
	}
	const older, newer = "chains.tekton.dev", "chains.tekton.dev/taskrun"
	deleting := object(1, newer)
	deleting.DeletionTime = upgrade
	for name, test := range map[string]struct {
		objects []stuck.Object
		want    bool
	}{
		"renamed":                             {[]stuck.Object{object(-1, older, newer), object(1, newer)}, true},
		"no object is new":                    {[]stuck.Object{object(-1, older, newer)}, false},
		"the new one is being deleted":        {[]stuck.Object{object(-1, older, newer), deleting}, false},
		"no object from before has the other": {[]stuck.Object{object(-1, older), object(1, newer)}, false},
		"new objects have both":               {[]stuck.Object{object(-1, older, newer), object(1, older, newer)}, false},
		"one of the new objects has both":     {[]stuck.Object{object(-1, older, newer), object(1, newer), object(2, older, newer)}, false},
		"one of the new objects has none":     {[]stuck.Object{object(-1, older, newer), object(1, newer), object(2)}, false},
		"another domain":                      {[]stuck.Object{object(-1, older, "example.com/x"), object(1, "example.com/x")}, false},
	} {
		if got := successors(test.objects, older, upgrade); len(got) > 0 != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestSameDomain(t *testing.T) {
	for other, want := range map[string]bool{
		"chains.tekton.dev/taskrun": true, "taskrun.chains.tekton.dev": true, "tekton.dev/x": true, "badchains.tekton.dev": false, "dev": false, "foregroundDeletion": false,
	} {
		if got := isSameDomain("chains.tekton.dev", other); got != want {
			t.Errorf("%s: %t", other, got)
		}
	}
}
