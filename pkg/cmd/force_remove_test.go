package cmd

import (
	"net/http"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
)

// An object that is named several times is one target.
func TestForceRemoveNamesEachTargetOnce(t *testing.T) {
	pod := fakeapi.RespondJSON(fakeapi.Object("shop", "web"))
	script := fakeapi.Responses{
		"/api/v1/pods": fakeapi.RespondList(), "/api/v1/namespaces/shop/pods/web": func(w http.ResponseWriter, r *http.Request) { pod(w, r) },
	}
	_, out, errOut := runOn(t, brokenServer(t, script), "force-remove", "pod/web", "pods/web", "-n", "shop", "--dry-run=client", "--server=http://127.0.0.1:1")
	if n := strings.Count(out, "pod/web -n shop, stuck for"); n != 1 {
		t.Errorf("the target is listed %d times:\n%s%s", n, out, errOut)
	}
}
