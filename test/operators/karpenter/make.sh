# Makes a node claim, and waits until its Node is there and runs a Pod. The Pod's kubelet works, or hangs when the Pod is deleted.
set -eu
sed "s/KUBELET/$1/" ../claim.yaml | kubectl apply -f -
kubectl wait --for=condition=Initialized --timeout=5m nodeclaim/web-1
kubectl -n shop wait --for=condition=Available --timeout=5m deployment/web
