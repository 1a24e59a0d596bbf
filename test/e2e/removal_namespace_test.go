package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestRemovalOnNamespaces removes the finalizers of the Namespace itself.
func TestRemovalOnNamespaces(t *testing.T) {
	t.Parallel()
	p := sharedPlane(t)
	t.Run("in its spec", func(t *testing.T) {
		s := newRemoval(t, p, "inspec", `kubectl create -f - <<END
{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"tenant-$N","labels":{"team":"blue"},"annotations":{"note":"kept"}},
 "spec":{"finalizers":["kubernetes","tenants.example.com/offboard"]}}
END
N=tenant-$N; crates a`+deleted)
		s.namespace = "tenant-" + s.namespace
		mark := s.mark(t)
		out, _, code := s.remove(t, "ns/"+s.namespace, "--finalizer", "tenants.example.com/offboard", "--override-verdict", "--accept-leaks", "--yes", "--timeout=1ms")
		wantOutput(t, code, 2, out, "removed from 1 of ", "still exists; to see why:")
		if done, _ := s.writes(t, mark); strings.Join(done, "\n") != "update /api/v1/namespaces/"+s.namespace+"/finalize 200" {
			t.Errorf("written: %v", done)
		}
		got := s.get(t, "ns/"+s.namespace, "{.spec.finalizers[*]} {.metadata.labels.team} {.metadata.annotations.note}")
		if got != "kubernetes blue kept" {
			t.Errorf("what is left of the namespace: %q", got)
		}
		out, _, code = s.remove(t, "ns/"+s.namespace, "--accept-leaks", "--yes")
		wantOutput(t, code, 0, out, "removed from 1 of ")
	})
	t.Run("another comes", func(t *testing.T) {
		s := newRemoval(t, p, "comes", `kubectl create -f - <<END
{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"tenant-$N"},"spec":{"finalizers":["kubernetes","tenants.example.com/offboard"]}}
END
N=tenant-$N; crates a`+deleted)
		s.namespace = "tenant-" + s.namespace
		// It comes when the namespace has been read, and is about to be written.
		address := startProxy(t, p, interceptOnce(isPersistedWrite, func() {
			s.runScript(t, `printf '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"%s"},"spec":{"finalizers":["kubernetes","tenants.example.com/offboard","late.example.com/hold"]}}' $N |
kubectl replace --raw /api/v1/namespaces/$N/finalize -f -`)
		}))
		mark := s.mark(t)
		out, _, code := s.remove(t, "ns/"+s.namespace, "--finalizer", "tenants.example.com/offboard", "--override-verdict", "--accept-leaks", "--yes", "--timeout=1ms", "--server", address)
		wantOutput(t, code, 2, out, "removed from 1 of ", "still exists; to see why:")
		path := "update /api/v1/namespaces/" + s.namespace + "/finalize "
		if done, _ := s.writes(t, mark); !slices.Equal(done, []string{path + "200", path + "409"}) {
			t.Errorf("written: %v", done)
		}
		if got := s.get(t, "ns/"+s.namespace, "{.spec.finalizers[*]}"); got != "kubernetes late.example.com/hold" {
			t.Errorf("its finalizers are %q", got)
		}
		s.wantAudited(t, mark)
	})
	t.Run("in its metadata", func(t *testing.T) {
		s := newRemoval(t, p, "inmeta", `
kubectl patch namespace $N --type=merge -p '{"metadata":{"finalizers":["projects.example.com/namespace-auth"]}}'
kubectl delete namespace $N --wait=false
until [ -z "$(kubectl get namespace $N -o jsonpath='{.spec.finalizers}')" ]; do :; done
`)
		mark := s.mark(t)
		out, _, code := s.remove(t, "ns/"+s.namespace, "--override-verdict", "--accept-leaks", "--yes")
		wantOutput(t, code, 0, out, "removed from 1 of ")
		if done, _ := s.writes(t, mark); strings.Join(done, "\n") != "patch /api/v1/namespaces/"+s.namespace+" 200" {
			t.Errorf("written: %v", done)
		}
	})
	t.Run("behind its pods", func(t *testing.T) {
		s := newRemoval(t, p, "pods", `crates a
kubectl wait -n $N serviceaccount/default --for=create --timeout=5m
printf '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"runner","namespace":"%s","finalizers":["%s/pod"]},"spec":{"containers":[{"name":"c","image":"registry.example.com/c:1"}]}}' $N $G | kubectl create -f -
kubectl delete namespace $N --wait=false
kubectl wait -n $N pod/runner --for=jsonpath='{.metadata.deletionTimestamp}' --timeout=5m
`)
		args := []string{"ns/" + s.namespace, "--strand-content", "--override-verdict", "--accept-leaks", "--accept-data-loss"}
		out, _, code := s.remove(t, append(args, "--dry-run=client")...)
		wantOutput(t, code, 0, out, "everything except Pods; not yet deleted: ", "crate."+s.group, "--strand-content", "remove       kubernetes (spec.finalizers)",
			"stranded     whatever is in the namespace then", "the namespace controller does not delete it first")
		// The crate has a finalizer too, which shows once the pod is gone: the namespace is the controller's until then.
		out, _, code = s.remove(t, "ns/"+s.namespace, "--override-verdict", "--accept-leaks", "--yes", "--timeout=1ms")
		wantOutput(t, code, 2, out, "pod/runner -n "+s.namespace+" done", "still exists; to see why:")
	})
}

// TestRemovalStrandsContent ends a namespace that its controller cannot end, because an API server is unreachable.
func TestRemovalStrandsContent(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, ownPlane(t), "strand", `crates a
kubectl create -f - <<END
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1beta1.metrics.example.com}
spec: {group: metrics.example.com, version: v1beta1, groupPriorityMinimum: 100, versionPriority: 100, service: {namespace: default, name: metrics}}
END
kubectl wait apiservice/v1beta1.metrics.example.com --for=condition=Available=false --timeout=5m
kubectl delete namespace $N --wait=false
kubectl wait namespace/$N --for=condition=NamespaceDeletionDiscoveryFailure --timeout=5m
kubectl delete -n $N crates.$G --all --wait=false
`)
	args := []string{"ns/" + s.namespace, "--override-verdict", "--accept-leaks"}
	out, _, code := s.remove(t, append(args, "--strand-content", "--dry-run=server")...)
	wantOutput(t, code, 0, out, "remove       kubernetes (spec.finalizers)", "are left behind; other namespaces are still stuck", "(allowed by --override-verdict)", "(allowed by --strand-content)",
		"stranded     whatever is in the namespace then", "the namespace controller does not delete it first", "accepted by the API server")
	mark := s.mark(t)

	// What was to be freed and is not would be stranded too, and nobody has accepted that.
	address := startProxy(t, s.p, func(w http.ResponseWriter, r *http.Request) bool {
		if !isPersistedWrite(r) || !strings.Contains(r.URL.Path, "/crates/") {
			return false
		}
		replyForbidden(w)
		return true
	})
	out, _, code = s.remove(t, append(args, "--strand-content", "--yes", "--server", address)...)
	wantOutput(t, code, 1, out, "crate."+s.group+"/a -n "+s.namespace+" failed", "namespace/"+s.namespace+" not attempted: crate."+s.group+"/a in it still has its finalizers")
	s.wantNoWrites(t, mark)

	out, _, code = s.remove(t, append(args, "--strand-content", "--yes")...)
	wantOutput(t, code, 0, out, "removed from 2 of ")
	requests, err := s.p.Requests(t.Context(), mark)
	if err != nil {
		t.Fatal(err)
	}
	var freed, ended time.Time
	for _, r := range requests {
		switch {
		case r.DryRun || !strings.HasPrefix(r.UserAgent, "kubectl-finalizers/"):
		case r.Verb == "patch" && strings.Contains(r.URI, "/crates/a"):
			freed = r.Time
		case r.Verb == "update" && strings.Contains(r.URI, s.namespace+"/finalize"):
			ended = r.Time
		}
	}
	if freed.IsZero() || ended.Sub(freed) < 10*time.Second {
		t.Errorf("the controller had no chance: content was freed at %s, the namespace ended at %s", freed, ended)
	}
	if s.get(t, "ns/"+s.namespace, "{.metadata.name}") != "" {
		t.Error("the namespace is still there")
	}
}
