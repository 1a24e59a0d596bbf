# Makes a Kustomization, waits until the controller has put its finalizer on it, and writes into its inventory what it applied.
set -eu
kubectl apply -f ../app.yaml
kubectl -n shop wait --for=jsonpath='{.metadata.finalizers}' --timeout=5m kustomization/web
kubectl -n shop patch kustomization web --subresource=status --type=merge -p '{"status":{"inventory":{"entries":[{"id":"shop_web__ConfigMap","v":"v1"}]}}}'
