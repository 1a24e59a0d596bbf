package e2e

import (
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// storageScene is a bound claim that a Pod uses, with a driver whose DaemonSet is elsewhere, and a user who may not read Pods.
const storageScene = `
for n in pfs-app pfs-driver; do kubectl create namespace $n; done
for n in pfs-app pfs-driver; do kubectl wait -n $n serviceaccount/default --for=create --timeout=5m; done
kubectl create role reader -n pfs-app --verb=get,list --resource=persistentvolumeclaims
kubectl create rolebinding reader -n pfs-app --role=reader --user=pfs-reader
kubectl apply -f - <<'END'
apiVersion: storage.k8s.io/v1
kind: CSINode
metadata: {name: pfs-node}
spec: {drivers: [{name: pfs.csi.example.com, nodeID: pfs-node}]}
---
apiVersion: storage.k8s.io/v1
kind: CSIDriver
metadata: {name: pfs.csi.example.com}
spec: {attachRequired: false}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: files-node, namespace: pfs-driver}
spec:
  selector: {matchLabels: {app: files-node}}
  template:
    metadata: {labels: {app: files-node}}
    spec:
      nodeSelector: {pfs: "none"}
      containers: [{name: driver, image: registry.example.com/files}]
      volumes: [{name: plugin, hostPath: {path: /var/lib/kubelet/plugins/pfs.csi.example.com}}]
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: pfs-album}
spec:
  accessModes: [ReadWriteOnce]
  capacity: {storage: 1Gi}
  persistentVolumeReclaimPolicy: Retain
  storageClassName: manual
  claimRef: {namespace: pfs-app, name: album}
  csi: {driver: pfs.csi.example.com, volumeHandle: vol-1}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: album, namespace: pfs-app}
spec: {accessModes: [ReadWriteOnce], storageClassName: manual, volumeName: pfs-album, resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: viewer, namespace: pfs-app}
spec:
  nodeName: node-1
  containers: [{name: viewer, image: registry.example.com/viewer}]
  volumes: [{name: album, persistentVolumeClaim: {claimName: album}}]
END
kubectl wait -n pfs-app pvc/album --for=condition=Unused=False --timeout=5m
`

// TestPreflightStorage names the Pods whose driver is deleted, and says that a claim is in use where its Pods cannot be read.
func TestPreflightStorage(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, storageScene)
	for _, c := range []preflightCase{
		{plane.Admin, "daemonset/files-node -n pfs-driver", 2, []string{
			"csi-driver-missing, likely", "1 pod -n pfs-app: daemonset/files-node -n pfs-driver, which runs CSI driver pfs.csi.example.com on the nodes, is deleted",
		}},
		{plane.Admin, "csidriver/pfs.csi.example.com", 0, []string{"would go through"}},
		{plane.Admin, "pvc/album -n pfs-app", 2, []string{"claim-in-use, confirmed", "pod/viewer uses the claim"}},
		{plane.Admin, "pvc/album -n pfs-app --as=pfs-reader", 2, []string{"claim-in-use, likely", "condition Unused has been False for"}},
	} {
		c.check(t, p)
	}
}
