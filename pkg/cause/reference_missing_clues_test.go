package cause

import (
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// A Secret that the controller writes, and deletes first, is not what it waits for.
func TestOutputsAreNoInputs(t *testing.T) {
	for field, want := range map[string]bool{
		"spec.credentialsSecretRef":              true,
		"spec.provider.apiTokenSecretRef":        true,
		"spec.remoteWrite.password.secretKeyRef": true,
		"spec.auths[].secretRef":                 true,
		"spec.outputSecretRef":                   false,
		"spec.writeConnectionSecretToRef":        false,
		"spec.publishConnectionDetailsTo.ref":    false,
		"spec.connectionSecretRef":               false,
		"spec.targetSecretRef":                   false,
		"spec.target.secretRef":                  false,
		"spec.destination.secretRef":             false,
		"spec.secret.create.secretRef":           false,
		"spec.userGeneratedSecretRef":            false,
		"spec.kubeconfigOutputRef":               false,
	} {
		ref := kit.SpecReference{Field: field, Target: stuck.Object{Type: stuck.Type{Version: "v1", Resource: "secrets", Kind: "Secret"}, Name: "s"}}
		if got := isInput(ref); got != want {
			t.Errorf("%s is an input: %t", field, got)
		}
	}
	connection := kit.SpecReference{Field: "spec.connectionRef", Target: stuck.Object{Type: stuck.Type{Group: "example.com", Kind: "Connection"}}}
	if !isInput(connection) {
		t.Error("a connection is no input")
	}
}
