// Package snapshot holds the causes that lie with the CSI snapshot controllers
// (kubernetes-csi/external-snapshotter): what is read of their objects, their
// finalizers, and one file for each cause.
package snapshot
