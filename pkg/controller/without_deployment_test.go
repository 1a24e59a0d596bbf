package controller_test

import (
	"strings"
	"testing"
)

// withoutDeployment is the healthy cluster without its Deployment, whose account is
// still there, and with something else.
func withoutDeployment(t *testing.T, more string) *fakeSource {
	t.Helper()
	var left []string
	for _, text := range strings.Split(healthy, "\n---\n") {
		if !strings.Contains(text, "kind: Deployment") {
			left = append(left, text)
		}
	}
	return newFakeSource(t, strings.Join(left, "\n---\n")+"apiVersion: v1\nkind: ServiceAccount\nmetadata: {namespace: ops, name: widget-operator}\n---\n"+more)
}
