package removal

import (
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
)

// TestPlanRestoreKnowsWhatItRecreated distinguishes the object that an earlier restore created from another of its name: the copy
// has the uid of neither.
func TestPlanRestoreKnowsWhatItRecreated(t *testing.T) {
	t.Parallel()
	deleting := func(m *metav1.PartialObjectMetadata) { m.DeletionTimestamp = &metav1.Time{Time: fakeapi.Now} }
	unchanged := func(*metav1.PartialObjectMetadata) {}
	for name, test := range map[string]struct {
		change     func(*metav1.PartialObjectMetadata)
		color      string
		finalizers []string
		action     RestoreAction
		reason     string
	}{
		"restored":                {writtenBy("kubectl-finalizers"), "", []string{"example.com/hold"}, NoAction, "restore has recreated it"},
		"restored, not held":      {writtenBy("kubectl-finalizers"), "", nil, AddFinalizers, ""},
		"restored, deleted again": {func(m *metav1.PartialObjectMetadata) { writtenBy("kubectl-finalizers")(m); deleting(m) }, "", []string{"example.com/hold"}, Refuse, "it is being deleted"},
		"another":                 {writtenBy("kubectl-create"), "", []string{"example.com/hold"}, Refuse, "another object has its name now"},
		"another, deleting":       {func(m *metav1.PartialObjectMetadata) { writtenBy("kubectl-create")(m); deleting(m) }, "", []string{"example.com/hold"}, Refuse, "another object has its name now"},
		"the same contents":       {unchanged, "blue", []string{"example.com/hold"}, NoAction, "restore has recreated it"},
		"other contents":          {unchanged, "red", []string{"example.com/hold"}, Refuse, "another object has its name now"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, _ := startAPI(t, fakeapi.Responses{widgetsPath + "/a": func(w http.ResponseWriter, r *http.Request) {
				if strings.Contains(r.Header.Get("Accept"), "PartialObjectMetadata") {
					fakeapi.RespondJSON(fakeapi.Object("shop", "a", fakeapi.NotDeleting, test.change, func(m *metav1.PartialObjectMetadata) { m.Finalizers = test.finalizers }))(w, r)
					return
				}
				o := deletedWidget()
				o.SetUID("uid-of-a")
				o.Object["spec"] = map[string]any{"color": test.color, "filled": "in"}
				fakeapi.RespondJSON(o)(w, r)
			}})
			step, err := PlanRestore(t.Context(), server.Server, server.View(t, nil, fakeapi.Widget), fakeapi.Widget, SavedCopy{Object: deletedWidget()})
			if err != nil {
				t.Fatal(err)
			}
			if step.Action() != test.action || !strings.HasPrefix(step.Reason, test.reason) || test.reason == "" && step.Reason != "" {
				t.Errorf("%s: %s, want %s: %s", step.Action(), step.Reason, test.action, test.reason)
			}
		})
	}
}
