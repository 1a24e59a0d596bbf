# Makes a cluster, and waits until the core has put its finalizer on it and has adopted the infrastructure.
set -eu
kubectl apply -f ../cluster.yaml
kubectl -n fleet wait --for=jsonpath='{.metadata.finalizers}' --timeout=5m cluster.cluster.x-k8s.io/prod
kubectl -n fleet wait --for=jsonpath='{.metadata.ownerReferences}' --timeout=5m awscluster/prod
