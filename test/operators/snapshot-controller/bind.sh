# Makes a claim and a snapshot of it, and waits until the controller has put its finalizers on both.
set -eu
kubectl apply -f ../claim.yaml
kubectl -n ledger wait --for=jsonpath='{.status.phase}'=Bound --timeout=5m persistentvolumeclaim/data
kubectl apply -f ../snapshot.yaml
kubectl -n ledger wait --for=jsonpath='{.status.boundVolumeSnapshotContentName}' --timeout=5m volumesnapshot/nightly
kubectl -n ledger get persistentvolumeclaim data -o jsonpath='{.metadata.finalizers}' | grep pvc-as-source-protection
