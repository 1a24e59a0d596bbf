package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// secondVersion gives crates a version v2, and ends v1, as an upgrade does.
const secondVersion = `
kubectl patch crd crates.$G --type=json -p '[{"op":"replace","path":"/spec/versions/0/served","value":false},{"op":"replace","path":"/spec/versions/0/storage","value":false},
{"op":"add","path":"/spec/versions/-","value":{"name":"v2","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}]'
until kubectl api-resources --api-group=$G | grep -q $G/v2; do :; done
`

// TestRestoreOfAnUnservedVersion restores a copy in a version that is not served any more, and beside it another copy.
func TestRestoreOfAnUnservedVersion(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "restore-unserved", `crates old
printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"app","namespace":"%s","finalizers":["%s/hold"]}}' $N $G | kubectl create -f -
`)
	dir := t.TempDir()
	for name, what := range map[string]string{"old.yaml": s.crate("old"), "app.yaml": "configmap/app"} {
		content, err := os.ReadFile(s.contentOf(t, what))
		if err != nil {
			t.Fatal(err)
		}
		s.saveCopy(t, dir, name, string(content))
		s.runScript(t, "kubectl patch -n $N "+what+` --type=merge -p '{"metadata":{"finalizers":null}}'; kubectl delete -n $N `+what)
	}
	s.runScript(t, secondVersion)
	out, _, code := s.restore(t, dir, "--yes")
	wantOutput(t, code, 3, strings.Join(strings.Fields(out), " "), "cannot be restored: the API server does not serve version v1 of crates."+s.group+", in which the copy was saved; it serves v2: "+
		"serve v1 again, or convert the copy to v2 and restore it with --allow-unverified", "Restored 1 of 1 object")
	if got := s.get(t, "cm/app", "{.metadata.finalizers[*]}"); got != s.group+"/hold" {
		t.Errorf("the finalizers of the ConfigMap are %q", got)
	}
	content, err := os.ReadFile(filepath.Join(dir, "old.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	converted := writeCopy(t, t.TempDir(), "old.yaml", strings.Replace(string(content), s.group+"/v1", s.group+"/v2", 1))
	out, _, code = s.restore(t, converted, "--yes", "--allow-unverified")
	wantOutput(t, code, 0, out, "Restored 1 of 1 object")
}
