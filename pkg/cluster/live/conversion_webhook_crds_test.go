package live_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
)

const crdsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// Definitions come one at a time, of whatever size, and in pages; what is kept of
// them is those with a webhook, and of those little.
func TestConversions(t *testing.T) {
	pages := map[string]string{
		"": `{"apiVersion":"apiextensions.k8s.io/v1","items":[
			{"metadata":{"name":"plain","annotations":{"a":"b"}},"spec":{"conversion":{"strategy":"None"}}},
			{"metadata":{"name":"turned","annotations":{"a":"b"}},"spec":{"versions":[{"name":"v1","schema":{"x":[{"y":"}]"}]}},{"name":"v2"}],
			 "conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"caBundle":"aGVsbG8=","service":{"namespace":"ns","name":"turner"}}}}}}
			],"kind":"CustomResourceDefinitionList","metadata":{"continue":"more"}}`,
		"more": `{"metadata":{"continue":""},"items":[{"metadata":{"name":"last"},"spec":{"conversion":{"strategy":"Webhook"}}}]}`,
	}
	server := fakeapi.Start(t, fakeapi.Responses{crdsPath: func(w http.ResponseWriter, r *http.Request) {
		fakeapi.Respond(pages[r.URL.Query().Get("continue")])(w, r)
	}}).Server
	got, err := server.ConversionWebhookCRDs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for _, c := range got {
		kept = append(kept, c.Name)
		if c.Annotations != nil {
			t.Errorf("%s keeps what nobody asks for", c.Name)
		}
	}
	if diff := cmp.Diff([]string{"turned", "last"}, kept); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if called := got[0].Spec.Conversion.Webhook.ClientConfig; string(called.CABundle) != "hello" || called.Service.Name != "turner" || len(got[0].Spec.Versions) != 2 {
		t.Errorf("it is read as %+v", got[0])
	}
}

// An answer that ends too early is no list that is short.
func TestConversionsCutShort(t *testing.T) {
	for _, body := range []string{``, `{"items":[`, `{"items":[{"metadata":{"name":"a"}}`, `{"items":[]`, `{"items":7}`, `[]`} {
		if got, err := fakeapi.Start(t, fakeapi.Responses{crdsPath: fakeapi.Respond(body)}).Server.ConversionWebhookCRDs(t.Context()); err == nil {
			t.Errorf("%s is read as %v", body, got)
		}
	}
}
