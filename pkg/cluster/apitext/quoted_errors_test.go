package apitext

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestQuotedRejection(t *testing.T) {
	for text, want := range map[string]Rejection{
		`failed to clear finalizers: admission webhook "validation.example.com" denied the request: no updates are allowed`:                 {By: WebhookDenied, Name: "validation.example.com", Message: "no updates are allowed"},
		`update failed: admission webhook "a.example.com" denied the request`:                                                               {By: WebhookDenied, Name: "a.example.com", Message: "no reason given"},
		`cannot update: Internal error occurred: failed calling webhook "b.example.com": failed to call webhook: Post "https://b": x`:       {By: WebhookFailed, Name: "b.example.com", Message: `Post "https://b": x`},
		`sync: boxes.example.com "b" is forbidden: ValidatingAdmissionPolicy 'keep' with binding 'keep-all' denied request: boxes are kept`: {By: PolicyDenied, Name: "keep", Binding: "keep-all", PolicyKind: ValidatingPolicy, Message: "boxes are kept"},
		`cannot remove the finalizer: policy 'stamp' with binding 'stamp-all' denied request: JSON Patch: missing value`:                    {By: PolicyDenied, Name: "stamp", Binding: "stamp-all", PolicyKind: MutatingPolicy, Message: "JSON Patch: missing value"},
		`cannot remove the finalizer: policy "stamp" denied request: failed to configure policy: no such type`:                              {By: PolicyDenied, Name: "stamp", PolicyKind: MutatingPolicy, Message: "failed to configure policy: no such type"},
	} {
		if got, ok := QuotedRejection(text); !ok || !cmp.Equal(got, want) {
			t.Errorf("%s: %+v", text, got)
		}
	}
	for _, text := range []string{"the request was denied", `the webhook "x" denied it`, `policy "x" denied the request`, ""} {
		if got, ok := QuotedRejection(text); ok {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

func TestQuotedNewFinalizers(t *testing.T) {
	text := `Job.batch "j" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted`
	for quoted, want := range map[string][]string{
		text: nil,
		text + `, found new finalizers []string{"a.example.com/b"}`:                {"a.example.com/b"},
		text + `, found new finalizers []string{"a.example.com/b", "c"} (retried)`: {"a.example.com/b", "c"},
		text + `, found new finalizers []string{\"a.example.com/b\"}`:              {"a.example.com/b"},
	} {
		if got, ok := QuotedNewFinalizers(quoted); !ok || !cmp.Equal(got, want) {
			t.Errorf("%s: %q, %t", quoted, got, ok)
		}
	}
	if _, ok := QuotedNewFinalizers("no new finalizers"); ok {
		t.Error("that is not what the API server says")
	}
}

func TestIsTooLarge(t *testing.T) {
	for text, want := range map[string]bool{
		"Request entity too large: limit is 3145728":                              false, // of the API server, before etcd
		"cannot update status: etcdserver: request is too large":                  true,
		"rpc error: trying to send message larger than max (2100000 vs. 2097152)": true,
	} {
		if got := IsTooLarge(text); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}

func TestIsWithoutNamespace(t *testing.T) {
	for text, want := range map[string]bool{
		"storage is (re)initializing: unable to sync list result: couldn't compute key: Namespace parameter required.": true,
		"storage is (re)initializing":      false,
		"Namespace parameter is forbidden": false,
	} {
		if got := IsWithoutNamespace(text); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}
