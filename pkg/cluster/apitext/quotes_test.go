package apitext_test

import (
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
)

func TestQuotes(t *testing.T) {
	for text, want := range map[string]bool{
		`secrets "creds" not found`:         true,
		`secret shop/creds not found`:       true,
		`could not find creds.`:             true,
		`no creds. Try again`:               true,
		`secrets "creds-2" not found`:       false,
		`secrets "my-creds" not found`:      false,
		`creds.example.com is not served`:   false,
		`the credentials could not be read`: false,
		`"creds-2" and "creds" not found`:   true,
		``:                                  false,
	} {
		if got := apitext.Quotes(text, "creds"); got != want {
			t.Errorf("%q speaks of creds: %t", text, got)
		}
	}
	if apitext.Quotes("anything", "") {
		t.Error("a text speaks of no name")
	}
}
