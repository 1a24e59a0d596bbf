package e2e

import (
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// eventsAbout are the Events about removals in a namespace, one a line.
func (s *removalScene) eventsAbout(t *testing.T, namespace, about string) string {
	t.Helper()
	out, _, _ := kubectl(t, s.p, plane.Admin, "get", "events", "-n", namespace, "--field-selector", "reason=FinalizerRemoved,involvedObject.name="+about,
		"-o", `jsonpath={range .items[*]}{.involvedObject.kind} {.involvedObject.name} {.count}: {.message}{"\n"}{end}`)
	return out
}

// TestRemovalRecordsEvents posts Events where they can be: in the namespace of an object, and about a namespace that
// is being deleted, which takes none.
func TestRemovalRecordsEvents(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "events", "crates a b c\nkubectl delete -n $N crates.$G a --wait=false\n")
	mark := s.mark(t)
	out, _, code := s.remove(t, s.crate("a"), "-n", s.namespace, "--accept-leaks", "--record-event", "--dry-run=server")
	wantOutput(t, code, 0, out, "Events    1 Event with reason FinalizerRemoved")
	s.wantNoWrites(t, mark)
	out, _, code = s.remove(t, s.crate("a"), "-n", s.namespace, "--accept-leaks", "--record-event", "--yes")
	wantOutput(t, code, 0, out, "removed from 1 of ")
	if got := s.eventsAbout(t, s.namespace, "a"); got != "Crate a 1: removed by force: "+s.group+"/hold (verdict ControllerGone)\n" {
		t.Errorf("events: %q", got)
	}
	s.wantAudited(t, mark)

	s.runScript(t, deleted)
	out, errOut, code := s.remove(t, "ns/"+s.namespace, "--accept-leaks", "--record-event", "--yes")
	wantOutput(t, code, 0, out, "removed from 2 of ")
	if errOut != "" {
		t.Errorf("it says %q", errOut)
	}
	if got := s.eventsAbout(t, "default", s.namespace); got != "Namespace "+s.namespace+" 2: removed by force from 2 objects, such as crate."+s.group+"/b: "+s.group+"/hold (verdict ControllerGone)\n" {
		t.Errorf("events: %q", got)
	}
	posted := 0
	for _, e := range s.auditEntries(t) {
		if strings.HasPrefix(e.Request, "POST ") && e.Result != removal.AuditBegun {
			posted++
		}
	}
	if posted != 2 {
		t.Errorf("the audit files tell of %d events: %+v", posted, s.auditEntries(t))
	}
}

// TestRemovalMayNotRecordEvents tells who may write the objects but post no Event.
func TestRemovalMayNotRecordEvents(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "noevents", `crates a
kubectl delete -n $N crates.$G a --wait=false
kubectl create role writer -n $N --verb=get,list,patch --resource=crates.$G
kubectl create rolebinding writer -n $N --role=writer --user=tenant-62
until kubectl auth can-i patch crates.$G/a -n $N --as tenant-62; do :; done
`)
	if _, err := s.p.Viewer(t.Context()); err != nil {
		t.Fatal(err)
	}
	mark := s.mark(t)
	args := []string{"force-remove", s.crate("a"), "-n", s.namespace, "--override-verdict", "--accept-leaks", "--yes", "--record-event"}
	_, errOut, code := finalizers(t, s.env("tenant-62"), args...)
	wantOutput(t, code, 1, errOut, "nothing was changed: you lack permission to create events -n "+s.namespace)
	s.wantNoWrites(t, mark)
	out, errOut, code := finalizers(t, s.env("tenant-62"), args[:len(args)-1]...)
	wantOutput(t, code, 0, out+errOut, "removed from 1 of ")
}
