# Installs the core, without its webhooks and without what asks cert-manager for their certificate.
set -eu
kubectl kustomize "$CLUSTER_API/core/config/default" >"$PLANE_DIR/capi.yaml"
documents() { # those of the given kinds, or, with "not" before them, all others
	awk -v kinds="$1" -v want="$2" 'BEGIN {RS = "\n---\n"} {n = ("\n" $0) ~ ("\nkind: (" kinds ")\n"); if (n == want) print "---\n" $0}' "$PLANE_DIR/capi.yaml"
}
documents 'Certificate|Issuer|ValidatingWebhookConfiguration|MutatingWebhookConfiguration' 0 >"$PLANE_DIR/core.yaml"
documents 'ValidatingWebhookConfiguration|MutatingWebhookConfiguration' 1 >"$PLANE_DIR/webhooks.yaml"
kubectl apply --server-side -f "$PLANE_DIR/core.yaml"
kubectl apply --server-side -f ../infrastructure.yaml
kubectl wait --for=condition=Established --timeout=5m crd/clusters.cluster.x-k8s.io crd/machines.cluster.x-k8s.io crd/awsclusters.infrastructure.cluster.x-k8s.io
kubectl -n capi-system wait --for=condition=Available --timeout=5m deployment/capi-controller-manager
