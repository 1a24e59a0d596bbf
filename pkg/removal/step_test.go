package removal

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// TestRecheckAfterAWrite holds that an object is not called changed by others whose finalizer a write has removed that ended
// with an error. After a write that was rejected, somebody else has done it. Without a write, it is called changed.
func TestRecheckAfterAWrite(t *testing.T) {
	t.Parallel()
	server, w := startAPI(t, fakeapi.Responses{widgetsPath + "/a": fakeapi.RespondJSON(fakeapi.Object("shop", "a", func(m *metav1.PartialObjectMetadata) {
		m.ResourceVersion, m.Finalizers = "8", []string{"example.com/other"}
	}))})
	run := Run{Source: server.Server, Writer: w}
	for name, test := range map[string]struct {
		sent, written bool
		want          Outcome
	}{
		"written": {true, true, Done}, "rejected": {true, false, Gone}, "not sent": {false, false, Refused},
	} {
		result := Result{sent: test.sent, written: test.written, Step: Step{
			Object: stuck.Object{
				Type: fakeapi.Widget, Namespace: "shop", Name: "a", UID: "uid-of-a", ResourceVersion: "7", Finalizers: []string{"example.com/hold", "example.com/other"},
			},
			Finalizers: []string{"example.com/hold"},
		}}
		if now, retry := run.recheck(t.Context(), &result); now != nil || retry != nil || result.Outcome != test.want {
			t.Errorf("%s: %s: %s (%v)", name, result.Outcome, result.Message, retry)
		}
	}
}
