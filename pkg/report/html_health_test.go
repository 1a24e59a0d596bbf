package report_test

import (
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// The page of a health check has what was measured of each type, with bars for the times.
func TestHealthPage(t *testing.T) {
	h, objects, watchers := webhookHealth(), int64(12), 3
	h.Types = []stuck.TypeHealth{
		{Type: "pods", List: "ok", ListSeconds: 0.2, Objects: &objects, Watch: "ok", FirstEventSeconds: 8, Informer: "ok", SyncSeconds: 0.1, Watchers: &watchers},
		{Type: "<b>", List: "ok", ListSeconds: 0.05},
	}
	var page strings.Builder
	if err := report.HTML(&page, report.NewHealthSummary(h)); err != nil {
		t.Fatal(err)
	}
	content := readPage(t, page.String())
	if content.elements["meter"] != 3 {
		t.Errorf("it has %d bars", content.elements["meter"])
	}
	for _, want := range []string{
		"<td>pods</td><td>12</td><td>ok, 0.2s<meter value=\"1\">1</meter></td><td>ok, 8s</td><td>ok, 0.1s<meter value=\"1\">1</meter></td><td>3</td>",
		"<td>&lt;b&gt;</td><td>-</td><td>ok, 0.05s<meter value=\"0.25\">0.25</meter></td><td>-</td><td>-</td><td>-</td>",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("it does not have %s:\n%s", want, page.String())
		}
	}
}
