package e2e

import (
	"net/http"
	"strings"
	"testing"
)

// TestRemovalUnserved has the type be served no more, after the removal was confirmed: nobody can tell what has become of
// the object, and it is there still.
func TestRemovalUnserved(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "unserved", "crates a\nkubectl delete -n $N crates.$G a --wait=false\n")
	const serve = "kubectl patch crd crates.$G --type=json -p '[{\"op\":\"replace\",\"path\":\"/spec/versions/0/served\",\"value\":%}]'\n"
	mark := s.mark(t)
	address := startProxy(t, s.p, interceptOnce(isSelfSubjectReview, func() {
		s.runScript(t, strings.Replace(serve, "%", "false", 1)+"until ! kubectl get --raw "+s.path("a")+"; do :; done\n")
	}))
	out, _, code := s.remove(t, s.crate("a"), "-n", s.namespace, "--accept-leaks", "--yes", "--server", address)
	wantOutput(t, code, 1, out, "failed: it could not be read again: the server could not find the requested resource")
	s.wantNoWrites(t, mark)
	s.runScript(t, strings.Replace(serve, "%", "true", 1)+"until kubectl get --raw "+s.path("a")+"; do :; done\n")
	if got := s.get(t, s.crate("a"), "{.metadata.finalizers[*]}"); got != s.group+"/hold" {
		t.Errorf("its finalizers are %q", got)
	}
}

// TestRemovalGoneWithItsType frees the last object for which a CustomResourceDefinition waits, and waits for it to be gone.
func TestRemovalGoneWithItsType(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "last", "crates a\nkubectl delete crd crates.$G --wait=false\nuntil kubectl get -n $N crates.$G a -o jsonpath={.metadata.deletionTimestamp} | grep T; do :; done\n")
	out, _, code := s.remove(t, s.crate("a"), "-n", s.namespace, "--accept-leaks", "--override-verdict", "--yes")
	wantOutput(t, code, 0, out, "removed from 1 of ", "crate."+s.group+"/a -n "+s.namespace+" done: deleted")
}

// TestRemovalGoneMeanwhile has the object go between the moment when it was judged and the one when its copy is read.
func TestRemovalGoneMeanwhile(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "meanwhile", "crates a\nkubectl delete -n $N crates.$G a --wait=false\n")
	confirmed := false
	address := startProxy(t, s.p, func(_ http.ResponseWriter, r *http.Request) bool {
		whole := r.Method == http.MethodGet && r.URL.Path == s.path("a") && !strings.Contains(r.Header.Get("Accept"), "PartialObjectMetadata")
		if confirmed = confirmed || isSelfSubjectReview(r); confirmed && whole {
			s.runScript(t, "kubectl patch -n $N crates.$G a --type=json -p '[{\"op\":\"remove\",\"path\":\"/metadata/finalizers\"}]' || :\n")
		}
		return false
	})
	out, _, code := s.remove(t, s.crate("a"), "-n", s.namespace, "--accept-leaks", "--yes", "--server", address)
	wantOutput(t, code, 0, out, "crate."+s.group+"/a -n "+s.namespace+" gone: deleted before the write", "Finalizers removed from 0 of 1 object; 1 needed no write (")
}

// TestRemovalRevived overrides the verdict that an operator is scaled to zero, and meets it running.
func TestRemovalRevived(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "revived", runningOperator+"kubectl -n $N scale deployment/packer --replicas=0\n"+
		"until [ -z \"$(kubectl get -n $N deployment packer -o jsonpath='{.status.readyReplicas}')\" ]; do :; done\n"+
		"crates a\nkubectl delete -n $N crates.$G a --wait=false\n")
	mark := s.mark(t)
	address := startProxy(t, s.p, interceptOnce(isSelfSubjectReview, func() {
		s.runScript(t, "kubectl -n $N scale deployment/packer --replicas=1\nkubectl -n $N rollout status deployment/packer --timeout=5m\n")
	}))
	out, _, code := s.remove(t, s.crate("a"), "-n", s.namespace, "--accept-leaks", "--override-verdict", "--yes", "--server", address)
	wantOutput(t, code, 3, out, "refused: another cause blocks it than when the plan was shown: deployment/packer", "does not watch")
	s.wantNoWrites(t, mark)
}
