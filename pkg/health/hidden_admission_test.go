package health

import (
	"strings"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// A failing webhook that no list has is named where the API server reads webhooks from files, and nowhere else.
func TestStaticAdmission(t *testing.T) {
	failures := map[cluster.WebhookKey]cluster.WebhookFailures{{Name: "listed"}: {Rejected: 99}, {Name: "hidden"}: {Rejected: 99}}
	listed := cluster.List[backend.Webhook]{Items: []backend.Webhook{newWebhook("listed")}, Complete: true}
	for name, test := range map[string]struct {
		plugins  []string
		complete bool
		want     int
	}{
		"none from files":     {complete: true},
		"from files":          {plugins: []string{"ValidatingAdmissionWebhook"}, complete: true, want: 1},
		"others from files":   {plugins: []string{"ValidatingAdmissionPolicy"}, complete: true},
		"the list has a hole": {plugins: []string{"ValidatingAdmissionWebhook"}},
	} {
		listed.Complete = test.complete
		problems, details := newRecordedChecker(t).staticAdmission(cluster.Metrics{Started: now.Add(-time.Hour), StaticAdmission: test.plugins, WebhookFailures: failures}, listed)
		if len(problems) != test.want || len(details) > 0 != (len(test.plugins) > 0) {
			t.Errorf("%s: %+v, %v", name, problems, details)
		}
		if len(problems) > 0 && !strings.Contains(problems[0].Message, "webhook hidden often failed") {
			t.Errorf("it says %q", problems[0].Message)
		}
	}
}
