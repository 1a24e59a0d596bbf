package rook

// group is the API group of Rook's Ceph types. The finalizer of each is its
// kind and the group (rook/rook pkg/operator/ceph/controller/finalizer.go).
const group = "ceph.rook.io"

const finalizerCephCluster = "cephcluster." + group
