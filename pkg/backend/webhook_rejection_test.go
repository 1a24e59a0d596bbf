package backend

import (
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// Addresses are written as the API server writes them (Kubernetes v1.37.1).
func TestWebhookAddress(t *testing.T) {
	service := &cluster.ServiceReference{Namespace: "books-system", Name: "books"}
	for want, hook := range map[string]Webhook{
		"//books.books-system.svc:443/?":          {Service: service, Port: 443},
		"//books.books-system.svc:443/validate?":  {Service: service, Port: 443, Path: "/validate"},
		"//books.books-system.svc:8443/mutate/a?": {Service: service, Port: 8443, Path: "mutate/a"},
		"https://hooks.example.com/check":         {URL: "https://hooks.example.com/check"},
	} {
		if got := webhookAddress(hook); got != want {
			t.Errorf("%+v is called at %s, want %s", hook, got, want)
		}
	}
}
