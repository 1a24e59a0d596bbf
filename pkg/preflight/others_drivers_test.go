package preflight_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/preflight"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// driversScene has a driver of volumes and one of devices, with Pods that use them.
const driversScene = `{apiVersion: v1, kind: Namespace, metadata: {name: photos, uid: n1}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: files-node, namespace: storage, uid: ds1}
spec:
  template:
    spec:
      containers: [{name: driver, image: i, args: [--csi-address=/csi/csi.sock]}]
      volumes: [{name: plugin, hostPath: {path: /var/lib/kubelet/plugins/files.csi.example.com/}}]
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: gpu, namespace: storage, uid: ds2}
spec: {template: {spec: {containers: [{name: plugins, image: i, command: [/usr/bin/gpu-kubelet-plugin]}]}}}
---
apiVersion: storage.k8s.io/v1
kind: CSINode
metadata: {name: rack-6, uid: cn1}
spec: {drivers: [{name: files.csi.example.com, nodeID: rack-6}]}
---
{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: files.csi.example.com, uid: cd1}}
---
{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu.example.com, uid: dc1}}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: album, uid: pv1}
spec: {claimRef: {namespace: photos, name: album}, csi: {driver: files.csi.example.com, volumeHandle: v}}
---
apiVersion: v1
kind: Pod
metadata: {name: viewer, namespace: photos, uid: p1}
spec: {nodeName: rack-6, containers: [{name: c, image: i}], volumes: [{name: a, persistentVolumeClaim: {claimName: album}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: inline, namespace: default, uid: p2}
spec: {nodeName: rack-6, containers: [{name: c, image: i}], volumes: [{name: a, csi: {driver: files.csi.example.com}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: ended, namespace: default, uid: p3}
spec: {nodeName: rack-6, containers: [{name: c, image: i}], volumes: [{name: a, csi: {driver: files.csi.example.com}}]}
status: {phase: Succeeded}
---
apiVersion: v1
kind: Pod
metadata: {name: other, namespace: photos, uid: p4}
spec: {nodeName: rack-6, containers: [{name: c, image: i}], volumes: [{name: a, csi: {driver: secrets.csi.example.com}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: rack-6-gpu, uid: rs1, managedFields: [{manager: gpu-kubelet-plugin, operation: Update}]}
spec: {driver: gpu.example.com, nodeName: rack-6}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: one, namespace: photos, uid: rc1}
status: {allocation: {devices: {results: [{driver: gpu.example.com}]}}, reservedFor: [{resource: pods, name: viewer, uid: p1}]}`

// anotherDaemonSet has the folder of the driver too.
const anotherDaemonSet = `
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: files-windows, namespace: storage, uid: ds3}
spec: {template: {spec: {containers: [{name: c, image: i}], volumes: [{name: plugin, hostPath: {path: 'C:/var/lib/kubelet/plugins/files.csi.example.com'}}]}}}`

// A DaemonSet that runs a driver is deleted, and Pods that use it are not. What is only read when a driver begins to be
// used holds nothing.
func TestLostDrivers(t *testing.T) {
	const (
		files   = "daemonset/files-node -n storage, which runs CSI driver files.csi.example.com on the nodes, is deleted"
		devices = "[1 pod] [photos] daemonset/gpu -n storage, which runs DRA driver gpu.example.com on the nodes, is deleted"
	)
	types := servedTypes()
	for _, served := range []stuck.Type{
		cluster.DaemonSetType,
		{Group: "storage.k8s.io", Version: "v1", Resource: "csidrivers", Kind: "CSIDriver"},
		{Group: "resource.k8s.io", Version: "v1", Resource: "deviceclasses", Kind: "DeviceClass"},
		{Group: "resource.k8s.io", Version: "v1", Resource: "resourceslices", Kind: "ResourceSlice"},
		{Group: "resource.k8s.io", Version: "v1", Resource: "resourceclaims", Kind: "ResourceClaim", Namespaced: true},
	} {
		served.Listable = true
		types = append(types, served)
	}
	for _, test := range []struct {
		more, unreadable string
		refs             []string
		outcome          preflight.Outcome
		want             []string
	}{
		{"", "", []string{"daemonset/files-node -n storage"}, preflight.OthersGetStuck, []string{"[2 pods] [default photos] " + files}},
		{"", "", []string{"daemonset/gpu -n storage"}, preflight.OthersGetStuck, []string{devices}},
		{"", "", []string{"daemonset/files-node -n storage", "pod/inline -n default", "pod/viewer -n photos"}, preflight.GoesThrough, nil},
		{"", "", []string{"csidriver/files.csi.example.com", "deviceclass/gpu.example.com"}, preflight.GoesThrough, nil},
		{anotherDaemonSet, "", []string{"daemonset/files-node -n storage"}, preflight.Unknown, nil},
		{"", "csinodes", []string{"daemonset/files-node -n storage"}, preflight.Unknown, nil},
		{"", "persistentvolumes", []string{"daemonset/files-node -n storage"}, preflight.OthersGetStuck, []string{"[1 pod] [default] " + files}},
		{"", "resourceslices", []string{"daemonset/gpu -n storage"}, preflight.Unknown, nil},
		{"", "resourceclaims", []string{"daemonset/gpu -n storage"}, preflight.Unknown, nil},
	} {
		s := newFakeSource(t, driversScene+test.more)
		s.unreadable = test.unreadable
		r := s.predict(t, types, test.refs...)
		if r.Outcome != test.outcome || !slices.Equal(lines(r.Others), test.want) {
			t.Errorf("%s, without %q: %s, %q, %v", strings.Join(test.refs, " "), test.unreadable, r.Outcome, lines(r.Others), r.Gaps)
		}
	}
}

// A folder whose name is not that of the driver does not show which driver is deleted. A driver serves the volumes that were made
// before it, too.
func TestOtherFoldersAndSources(t *testing.T) {
	daemonSets := cluster.DaemonSetType
	daemonSets.Listable = true
	inTree := strings.NewReplacer("csi: {driver: files.csi.example.com, volumeHandle: v}", "awsElasticBlockStore: {volumeID: v}", "files.csi.example.com", "ebs.csi.aws.com")
	for _, test := range []struct {
		scene   string
		outcome preflight.Outcome
		want    []string
	}{
		{strings.Replace(driversScene, "plugins/files.csi.example.com/", "plugins/files", 1), preflight.Unknown, nil},
		{strings.Replace(driversScene, "plugins/files.csi.example.com/", "plugins_registry", 1), preflight.Unknown, nil},
		{strings.Replace(driversScene, "plugins/files.csi.example.com/", "pods", 1), preflight.GoesThrough, nil},
		{inTree.Replace(driversScene), preflight.OthersGetStuck, []string{"[2 pods] [default photos] daemonset/files-node -n storage, which runs CSI driver ebs.csi.aws.com on the nodes, is deleted"}},
	} {
		r := newFakeSource(t, test.scene).predict(t, append(servedTypes(), daemonSets), "daemonset/files-node -n storage")
		if r.Outcome != test.outcome || !slices.Equal(lines(r.Others), test.want) {
			t.Errorf("%s, %q, %v", r.Outcome, lines(r.Others), r.Gaps)
		}
	}
}
