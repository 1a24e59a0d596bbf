package controller_test

import (
	"slices"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// What is behind a fault is named, with what is at fault where that is not the workload.
func TestRoots(t *testing.T) {
	const pending = "status: {phase: Pending, containerStatuses: [{name: c, image: registry.example.com/w, state: {waiting: {reason: "
	mounts := func(volume string) string {
		return pod("w-1", "spec: {containers: [{name: c}], volumes: [{name: v, "+volume+"}]}\nstatus: {phase: Pending}")
	}
	for name, test := range map[string]struct{ more, root, culprit string }{
		"an image":                        {pod("w-1", pending+"ImagePullBackOff}}}]}"), "image registry.example.com/w cannot be pulled", ""},
		"memory":                          {pod("w-1", "status: {phase: Running, containerStatuses: [{name: c, restartCount: 3, lastState: {terminated: {reason: OOMKilled, exitCode: 137}}}]}"), "container c exceeds its memory limit (OOMKilled)", ""},
		"another crash":                   {pod("w-1", "status: {phase: Running, containerStatuses: [{name: c, restartCount: 3, lastState: {terminated: {reason: Error, exitCode: 1}}}]}"), "", ""},
		"a node that does not exist":      {pod("w-1", "spec: {nodeName: n1}\nstatus: {phase: Running}"), "node/n1 does not exist", "node/n1"},
		"a node that does not respond":    {pod("w-1", "spec: {nodeName: n1}\nstatus: {phase: Running}") + "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {conditions: [{type: Ready, status: Unknown}]}", "node/n1 does not respond", "node/n1"},
		"a node that responds":            {pod("w-1", "spec: {nodeName: n1}\nstatus: {phase: Running}") + "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {conditions: [{type: Ready, status: 'True'}]}", "", ""},
		"a Secret that does not exist":    {mounts("secret: {secretName: s}"), "secret/s -n ops does not exist", "secret/s -n ops"},
		"a Secret that is optional":       {mounts("secret: {secretName: s, optional: true}"), "", ""},
		"a Secret that exists":            {mounts("secret: {secretName: s}") + "apiVersion: v1\nkind: Secret\nmetadata: {namespace: ops, name: s}", "", ""},
		"a ConfigMap that does not exist": {mounts("configMap: {name: m}"), "configmap/m -n ops does not exist", "configmap/m -n ops"},
		"a claim that does not exist":     {mounts("persistentVolumeClaim: {claimName: p}"), "persistentvolumeclaim/p -n ops does not exist", "persistentvolumeclaim/p -n ops"},
	} {
		t.Run(name, func(t *testing.T) {
			health, view := unreadyHealth(t, "Deployment", "", test.more)
			culprit := ""
			if health.Root.Culprit != nil {
				culprit = health.Root.Culprit.String()
			}
			if health.Root.Text != test.root || culprit != test.culprit {
				t.Errorf("root %q of %q; gaps %v; %v", health.Root.Text, culprit, view.Gaps(), health.Evidence)
			}
			if test.culprit != "" && !slices.ContainsFunc(health.Root.Steps, func(s stuck.Step) bool { return s.Description != "" }) {
				t.Errorf("it has no steps: %+v", health.Root)
			}
		})
	}
}
