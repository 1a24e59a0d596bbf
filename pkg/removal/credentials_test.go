package removal

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestCredentialsInConfigMaps finds what should have been in a Secret by the name of an entry, and by what is in it.
func TestCredentialsInConfigMaps(t *testing.T) {
	for name, test := range map[string]struct {
		field, entry, text string
		kept               bool
	}{
		"name":       {"data", "db.password", "x", false},
		"key":        {"data", "tls.key", "x", false},
		"in yaml":    {"data", "app.yaml", "user: shop\npassword: hunter2\n", false},
		"in json":    {"data", "app.json", `{"apiKey": "abc"}`, false},
		"in ini":     {"data", "app.ini", "db_passwd=hunter2", false},
		"in address": {"data", "url", "postgres://shop:hunter2@db/shop", false},
		"pem":        {"data", "bundle", "-----BEGIN RSA PRIVATE KEY-----\nMII", false},
		"kubeconfig": {"data", "conf", "users:\n- user: {client-key-data: TUlJ}", false},
		"binary":     {"binaryData", "blob", "cGFzc3dvcmQ6IGh1bnRlcjI=", false}, // password: hunter2
		"bearer":     {"data", "conf", "Authorization: Bearer abc.def", false},
		"jwt":        {"data", "conf", "x: eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrdWJlIn0.c2ln", false},
		"aws":        {"data", "conf", "id AKIAIOSFODNN7EXAMPLE", false},
		"pwd":        {"data", "conf", "uid=sa;pwd=hunter2", false},
		"docker":     {"data", "conf", `{"auths":{"r.example.com":{"auth":"c2hvcDpodW50ZXIy"}}}`, false},
		"folder":     {"data", "run.sh", "cd $(pwd) && echo $PWD", true},
		"color":      {"data", "color", "blue", true},
		"reference":  {"data", "app.yaml", "secretName: db\ntokenReview: {enabled: true}\npassword: \"\"\n", true},
		"address":    {"data", "url", "https://example.com:8080/a@b", true},
		"public":     {"data", "ca.crt", "-----BEGIN CERTIFICATE-----\nMII", true},
	} {
		o := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a"}, test.field: map[string]any{test.entry: test.text},
		}}
		kept, omitted := withoutCredentials(o)
		if _, there, _ := unstructured.NestedString(kept.Object, test.field, test.entry); there != test.kept || (omitted == "") != test.kept {
			t.Errorf("%s: kept %t, omitted %q", name, there, omitted)
		}
	}
}
