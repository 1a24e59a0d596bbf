# Makes a challenge, and waits until the controller has put its finalizer on it.
set -eu
kubectl apply -f ../challenge.yaml
kubectl -n shop wait --for=jsonpath='{.metadata.finalizers}' --timeout=5m challenge/shop-1
