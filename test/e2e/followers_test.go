package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// manyTypes are types of three other makers, which say how many watch every type.
const manyTypes = `
for group in one.example.net two.example.com three.example.edu; do kubectl create -f - <<END
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: followed.$group}
spec:
  group: $group
  scope: Cluster
  names: {plural: followed, singular: followed, kind: Followed}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
END
done
`

// Who follows every type of the cluster, such as another terminal with list -w, is no controller. Who follows this type
// alone may be one: where nothing says that the controller was there and is gone, that is not known then.
func TestOwnerWhileOthersFollow(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, manyTypes)
	s := controllerScene{name: "followed", want: wantControllerGone()}
	s.setUp(t, p)
	for _, group := range []string{"", "one.example.net", "two.example.com", "three.example.edu", s.named("NAME.example.org")} {
		waitForOpenWatches(t, p, group, 1) // the garbage collector's
	}
	_, _, _ = startListWatch(t, p, "-A")
	for _, group := range []string{"one.example.net", "two.example.com", "three.example.edu", s.named("NAME.example.org")} {
		waitForOpenWatches(t, p, group, 2)
	}
	s.want.evidence = []string{"2 watches are open on " + s.named("things.NAME.example.org") + ", no more than on idle types"}
	s.waitFor(t, p, plane.Admin, s.want)

	follower := exec.CommandContext(t.Context(), filepath.Join(p.Bin(), "kubectl"), "get", s.named("things.NAME.example.org"), "-A", "-w")
	follower.Env = p.Env(plane.Admin)
	if err := follower.Start(); err != nil {
		t.Fatal(err)
	}
	waitForOpenWatches(t, p, s.named("NAME.example.org"), 3)
	s.waitFor(t, p, plane.Admin, wantExplanation{verdict: stuck.Unknown, causes: []string{}, clues: []string{"1 more than on idle types"}})
}

// waitForOpenWatches waits until so many watches are open on the types of a group, or on podtemplates where it is empty.
func waitForOpenWatches(t *testing.T, p *plane.Plane, group string, want int) {
	t.Helper()
	line := fmt.Sprintf(`(?m)^apiserver_longrunning_requests\{.*group=%q,.*verb="WATCH".* (\d+)$`, group)
	if group == "" {
		line = `(?m)^apiserver_longrunning_requests\{.*group="",resource="podtemplates",.*verb="WATCH".* (\d+)$`
	}
	pattern := regexp.MustCompile(line)
	eventually(t, func() error {
		out, errOut, _ := kubectl(t, p, plane.Admin, "get", "--raw", "/metrics")
		open := 0
		for _, match := range pattern.FindAllStringSubmatch(out, -1) {
			n, _ := strconv.Atoi(match[1])
			open += n
		}
		if open < want {
			return fmt.Errorf("%d watches are open on %q, want %d: %s", open, group, want, errOut)
		}
		return nil
	})
}
