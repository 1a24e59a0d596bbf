package rook

// groupRook is the API group of Rook's Ceph types. The finalizer of each is its
// kind and the group (rook/rook pkg/operator/ceph/controller/finalizer.go).
const groupRook = "ceph.rook.io"

const finalizerCephCluster = "cephcluster." + groupRook
