package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// twoServersScene has an object whose controller runs outside of the cluster, where only its watch shows it.
const twoServersScene = `
kubectl create -f - <<'END'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: parcels.post.example.com}
spec:
  group: post.example.com
  scope: Namespaced
  names: {plural: parcels, singular: parcel, kind: Parcel}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
END
kubectl wait crd/parcels.post.example.com --for=condition=Established --timeout=5m
printf '{"apiVersion":"post.example.com/v1","kind":"Parcel","metadata":{"name":"p1","namespace":"default","finalizers":["post.example.com/deliver"]}}' | kubectl create -f -
kubectl delete parcels.post.example.com p1 --wait=false
`

// TestTwoAPIServers asks each of two API servers, and the address of both, about an object whose controller watches it through
// one of them. None may say that it has no controller, before that is so.
func TestTwoAPIServers(t *testing.T) {
	t.Parallel()
	p := planeWith(t, plane.Options{SecondAPIServer: true})
	runSetup(t, p, twoServersScene)
	created := time.Now()
	testWaitThroughRestarts(t, p)
	testRemovalThroughBoth(t, p)
	watcher := exec.CommandContext(t.Context(), "kubectl", "get", "parcels.post.example.com", "-A", "-w", "--server", p.ServerOf(plane.SecondAPIServer))
	watcher.Path = p.Bin() + "/kubectl"
	watcher.Env = p.Env(plane.Admin)
	if err := watcher.Start(); err != nil {
		t.Fatal(err)
	}
	explain := func(server string) (report.Explanation, error) {
		return tryDocument[report.Explanation](t, p, plane.Admin, "explain", "parcels.post.example.com/p1", "-n", "default", "--server", server)
	}
	both := p.Server()
	eventually(t, func() error { // before, a type is too young for anything to be said of its watches
		if age := time.Since(created); age < 90*time.Second {
			return fmt.Errorf("the type is %s old", age)
		}
		return nil
	})
	for _, server := range []string{p.ServerOf(plane.APIServer), p.ServerOf(plane.SecondAPIServer), both, both} {
		e, err := explain(server)
		if err != nil {
			t.Fatal(err)
		}
		if e.Target.Diagnosis.Verdict != stuck.Unknown {
			t.Errorf("%s: %s: %+v", server, e.Target.Diagnosis.Verdict, e.Target)
		}
		if found := runHealth(t, p, plane.Admin, "--check", "watchers", "--server", server); !strings.Contains(fmt.Sprint(found.check(t, "watchers").Details), "one of several API servers answered") {
			t.Errorf("%s: %+v", server, found.check(t, "watchers"))
		}
	}
	if err := watcher.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = watcher.Wait() // it was killed
	if err := p.Stop(plane.SecondAPIServer); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		if e, err := explain(both); err != nil || e.Target.Diagnosis.Verdict != stuck.ControllerGone {
			return fmt.Errorf("with one API server and no watch: %s: %w", e.Target.Diagnosis.Verdict, err)
		}
		return nil
	})
}

// testWaitThroughRestarts has each of the API servers end while an object is waited for.
func testWaitThroughRestarts(t *testing.T, p *plane.Plane) {
	createHeld(t, p, "two-servers", "held")
	kubectl(t, p, plane.Admin, "delete", "configmap", "held", "-n", "two-servers", "--wait=false")
	command, out, errOut := startWait(t, p, "cm/held", "-n", "two-servers", "--stall=10m")
	waitForOutput(t, errOut, `(?m)^waiting for configmap/held`)
	for _, name := range []string{plane.APIServer, plane.SecondAPIServer} {
		if err := p.Stop(name); err != nil {
			t.Fatal(err)
		}
		if err := p.Start(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	freeHeld(t, p, "two-servers", "held")
	wantWaitEnd(t, command, out, errOut, "configmap/held condition met\n")
}

// testRemovalThroughBoth removes and restores where each connection reaches another API server: what was written at one is read at the
// other. No program watches the type, which the open watches of one API server do not prove.
func testRemovalThroughBoth(t *testing.T, p *plane.Plane) {
	s := newRemoval(t, p, "two-servers", "crates a b c d e f"+deleted)
	removal := []string{"force-remove", "ns/" + s.namespace, "--accept-leaks"}
	out, errOut, code := s.runThroughBoth(t, append(removal, "--dry-run=server")...)
	wantOutput(t, code, 3, out+errOut, "reason       Unknown")
	removal = append(removal, "--override-verdict")
	out, _, code = s.runThroughBoth(t, append(removal, "--dry-run=server")...)
	wantOutput(t, code, 0, out, "6 of 6 accepted by the API server")
	out, _, code = s.runThroughBoth(t, append(removal, "--confirm", tokenPattern.FindStringSubmatch(out)[1])...)
	wantOutput(t, code, 0, out, "Finalizers removed from 6 of 6 objects", "namespace/"+s.namespace+" is deleted.")

	s.runScript(t, "kubectl create namespace $N")
	folder := filepath.Dir(s.savedCopies(t)[0])
	out, _, code = s.runThroughBoth(t, "restore", folder, "--yes")
	wantOutput(t, code, 0, out, "Restored 6 of 6 objects")
	for _, server := range []string{plane.APIServer, plane.SecondAPIServer} {
		got, _, _ := kubectl(t, p, plane.Admin, "get", "crates."+s.group, "-n", s.namespace, "-o", "jsonpath={.items[*].metadata.finalizers[*]}", "--server", p.ServerOf(server))
		if found := strings.Fields(got); len(found) != 6 {
			t.Errorf("%s has the finalizers %q", server, found)
		}
	}
}

// runThroughBoth runs the plugin over HTTP/1.1, which takes a connection for each request under way.
func (s *removalScene) runThroughBoth(t *testing.T, args ...string) (out, errOut string, code int) {
	t.Helper()
	out, errOut, code = finalizers(t, append(s.env(plane.Admin), "DISABLE_HTTP2=1"), args...)
	t.Logf("$ kubectl finalizers %s\n%s%s(%d)", strings.Join(args, " "), errOut, out, code)
	return out, errOut, code
}
