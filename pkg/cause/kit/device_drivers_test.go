package kit_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// solver is a Pod with a device.
const solver = `{metadata: {name: solver, namespace: lab, uid: p1}, spec: {nodeName: rack, resourceClaims: [{name: fpga, resourceClaimName: one}]}}`

// solverCluster is what the API server answers of its claim and of the driver, whose pod is not ready.
const solverCluster = `
- question: get resourceclaims.resource.k8s.io/one in lab
  objects:
  - metadata: {name: one, namespace: lab}
    status:
      allocation: {devices: {results: [{driver: fpga.example.com, pool: rack, device: fpga-0}]}}
      reservedFor: [{resource: pods, name: solver, uid: p1}]
- question: list resourceslices.resource.k8s.io where spec.driver=fpga.example.com,spec.nodeName=rack
- question: list resourceslices.resource.k8s.io where spec.driver=fpga.example.com,spec.nodeName=
- question: list daemonsets.apps
  objects:
  - metadata: {name: driver, namespace: lab, uid: d1}
    spec: {template: {spec: {volumes: [{name: p, hostPath: {path: /var/lib/kubelet/plugins/fpga.example.com}}]}}}
- question: list pods where spec.nodeName=rack
  objects:
  - metadata: {name: driver, namespace: lab, uid: p2, ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: driver, uid: d1, controller: true}]}
    status: {phase: Running, conditions: [{type: Ready, status: "False"}]}
`

func TestDevicesWithoutDriver(t *testing.T) {
	const (
		ofNode  = "spec.nodeName=rack\n- question: list resourceslices"
		ofNone  = "spec.nodeName=\n"
		slice   = "  objects: [{metadata: {name: s1}, spec: {driver: fpga.example.com}}]\n"
		folder  = "plugins/fpga.example.com"
		another = "plugins/other.example.com"
	)
	for name, test := range map[string]struct {
		changes  []string // old and new text, in turn
		missing  int
		complete bool
	}{
		"its pod is not ready":                          {nil, 1, true},
		"its pod is ready":                              {[]string{`status: "False"`, `status: "True"`}, 0, true},
		"it publishes devices of the node":              {[]string{ofNode, strings.Replace(ofNode, "\n", "\n"+slice, 1)}, 0, true},
		"another pod uses the claim too":                {[]string{"uid: p1}]", "uid: p1}, {resource: pods, name: b, uid: p9}]"}, 0, true},
		"the claim is reserved for another":             {[]string{"name: solver, uid: p1}]", "name: solver, uid: p0}]"}, 0, true},
		"the kubelet does not ask it to unprepare":      {[]string{"device: fpga-0", "device: fpga-0, skipNodeOperations: [NodeUnprepareResources]"}, 0, true},
		"the kubelet asks it for nothing":               {[]string{"device: fpga-0", `device: fpga-0, skipNodeOperations: ["*"]`}, 0, true},
		"the kubelet does not ask it to prepare":        {[]string{"device: fpga-0", "device: fpga-0, skipNodeOperations: [NodePrepareResources]"}, 1, true},
		"no DaemonSet is known to run it":               {[]string{folder, another}, 1, true},
		"its devices are of no node":                    {[]string{ofNone, ofNone + slice}, 1, true},
		"they are, and no DaemonSet is known to run it": {[]string{ofNone, ofNone + slice, folder, another}, 0, false},
		"the claim was not read":                        {[]string{"get resourceclaims", "get claims"}, 0, false},
		"slices were not read":                          {[]string{ofNode, "x\n- question: list resourceslices"}, 0, false},
		"pods were not read":                            {[]string{"list pods", "list others"}, 0, false},
		"DaemonSets were not read":                      {[]string{"list daemonsets", "list others"}, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			view := viewOf(t, strings.NewReplacer(test.changes...).Replace(solverCluster))
			if got := kit.DevicesWithoutDriver(view, podOf(t, solver)); len(got.Items) != test.missing || got.Complete != test.complete {
				t.Errorf("devices without a driver: %+v, gaps %v", got, view.Gaps())
			}
		})
	}
}

// The claim of a template is named in the status, and so is one for an extended resource.
func TestDevicesOfClaimsInStatus(t *testing.T) {
	for _, pod := range []string{
		`{metadata: {name: solver, namespace: lab, uid: p1}, spec: {nodeName: rack}, status: {resourceClaimStatuses: [{name: fpga, resourceClaimName: one}]}}`,
		`{metadata: {name: solver, namespace: lab, uid: p1}, spec: {nodeName: rack}, status: {extendedResourceClaimStatus: {resourceClaimName: one}}}`,
	} {
		if got := kit.DevicesWithoutDriver(viewOf(t, solverCluster), podOf(t, pod)); len(got.Items) != 1 {
			t.Errorf("%s: %+v", pod, got)
		}
	}
}

func viewOf(t *testing.T, answers string) *cluster.View {
	t.Helper()
	r := recording.Recording{Time: readTime}
	if err := yaml.Unmarshal([]byte(answers), &r.Answers); err != nil {
		t.Fatal(err)
	}
	return cluster.NewView(t.Context(), r.Source(nil), []stuck.Type{
		{Group: "resource.k8s.io", Version: "v1", Resource: "resourceclaims", Kind: "ResourceClaim", Namespaced: true},
		{Group: "resource.k8s.io", Version: "v1", Resource: "resourceslices", Kind: "ResourceSlice"},
	}, nil)
}

func podOf(t *testing.T, text string) (pod corev1.Pod) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), &pod); err != nil {
		t.Fatal(err)
	}
	return pod
}
