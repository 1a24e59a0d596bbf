package stuck

// ReadCommand prints objects of a type with who wrote them and when: one object, or all of
// the type in the namespace. The words name them as kubectl get takes them.
//
// Of Secrets it prints nothing else, since what a terminal shows ends in logs of pipelines and
// in tickets. The annotations are left out too: kubectl apply repeats the data in one.
// kubectl describe is not used, since it prints the tokens of ServiceAccounts:
// https://github.com/kubernetes/kubernetes/blob/v1.34.0/staging/src/k8s.io/kubectl/pkg/describe/describe.go
func ReadCommand(t Type, namespace string, words ...string) string {
	if t.IsSecret() {
		return Kubectlf(namespace, "get %s -o custom-columns='NAME:.metadata.name,FINALIZERS:.metadata.finalizers,WRITTEN-BY:.metadata.managedFields[*].manager,AT:.metadata.managedFields[*].time'", words)
	}
	return Kubectlf(namespace, "get %s -o yaml --show-managed-fields", words)
}
