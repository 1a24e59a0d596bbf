package health

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/internal/hostile"
	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// TestHostileChecks runs those checks that need no living server on the recordings of the stories, with hostile names and
// in turn one kind of them: no report does harm to what reads it, and no command does harm in a shell.
func TestHostileChecks(t *testing.T) {
	stories, err := recording.AllScenarios("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	known, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	server := fakeapi.Start(t, nil).Server // that forbids everything
	kinds := hostile.Kinds()
	names := slices.Sorted(maps.Keys(kinds))
	var printed hostile.Commands
	found := map[string]bool{}
	run := func(source *recording.Source, namespace string, kind hostile.Affixes) {
		source, _ = source.Renamed(recording.Renaming{Name: kind.Name, Text: kind.Text()})
		c := newSourceChecker(t, source, namespace)
		c.server, c.catalog = server, known
		h := stuck.Health{Version: "v1.37.1", AvailableChecks: len(Checks), Checks: append(c.storyChecks(t), c.hostileCheck(kind))}
		h.Gaps, h.StuckObjects, h.Types = c.view.AllGaps(), c.countStuck(), newTypes(c.lists).sorted()
		for _, check := range h.Checks {
			for _, problem := range check.Problems {
				found[problem.Reason] = true
			}
		}
		printed.AddDocument(kind, checkReports(t, h))
	}
	for i, story := range stories {
		source, err := story.Source()
		if err != nil {
			t.Fatal(err)
		}
		namespace := ""
		if i := slices.Index(story.List, "-n"); i >= 0 {
			namespace = story.List[i+1]
		}
		run(source, namespace, kinds[names[i%len(names)]])
	}
	for _, kind := range kinds {
		run(unhealthySource(), "", kind)
	}
	if len(found) < 12 {
		t.Errorf("only these problems are found: %q", slices.Sorted(maps.Keys(found)))
	}
	printed.Paste(t, 50)
}

// unhealthySource is a cluster with what no story has: Leases, ResourceQuotas, APIServices and webhooks that are not healthy.
func unhealthySource() *recording.Source {
	leases := []map[string]any{
		newLease("ops", "a", "gone", time.Hour, 15), newLease("ops", "operator", "gone", time.Hour, 15), newLease("ops", "later", "gone", -10*time.Minute, 15),
		withSpec(newLease("ops", "moving", "x", 0, 15), map[string]any{"leaseTransitions": int64(500)}),
	}
	service := map[string]any{"namespace": "ops", "name": "gone"}
	absent := &metav1.Status{Code: 404, Reason: metav1.StatusReasonNotFound}
	answers := append(leaseAnswers(leases, operatorDeployment(1), nil, 0, `pod "gone" not found`), []recording.Answer{
		{Question: "get namespaces/ops", Objects: []map[string]any{{"metadata": map[string]any{"name": "ops"}}}},
		{Question: "get services/gone in ops", Error: absent},
		{Question: "list apiservices.apiregistration.k8s.io", Objects: []map[string]any{{
			"metadata": map[string]any{"name": "v1.example.com"}, "spec": map[string]any{"group": "example.com", "version": "v1", "service": service},
			"status": map[string]any{"conditions": []any{map[string]any{"type": "Available", "status": "False", "reason": "ServiceNotFound", "message": "no service"}}},
		}}},
		{Question: "list resourcequotas", Objects: []map[string]any{{
			"metadata": map[string]any{"namespace": "ops", "name": "q", "managedFields": []any{map[string]any{"time": now.Add(-time.Hour).Format(time.RFC3339)}}},
			"spec":     map[string]any{"hard": map[string]any{"pods": "10"}},
		}}},
		{Question: "list validatingwebhookconfigurations.admissionregistration.k8s.io", Objects: []map[string]any{{
			"metadata": map[string]any{"name": "policy"},
			"webhooks": []any{map[string]any{
				"name": "policy", "failurePolicy": "Fail", "clientConfig": map[string]any{"service": service},
				"rules": []any{map[string]any{"apiGroups": []any{"*"}, "apiVersions": []any{"*"}, "resources": []any{"*"}, "operations": []any{"*"}}},
			}},
		}}},
		{Question: "list mutatingwebhookconfigurations.admissionregistration.k8s.io"},
		{Question: "watches", Objects: []map[string]any{{"resource": "pods", "open": int64(1)}}},
	}...)
	return (&recording.Recording{Time: now, Version: "v1.37.1", Answers: answers}).Source([]stuck.Type{pods, widgets, resourceQuotaType})
}

// newSourceChecker checks a namespace, or the whole cluster, as far as a recording answers.
func newSourceChecker(t *testing.T, source *recording.Source, namespace string) *checker {
	t.Helper()
	types, gaps, err := source.Types(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := &checker{Options: Options{Types: types, Served: types, Namespace: namespace}, view: cluster.NewView(t.Context(), source, types, gaps)}
	first := &metav1.PartialObjectMetadataList{Items: []metav1.PartialObjectMetadata{{}}}
	for _, listed := range append(cluster.SurveyedTypes(types, namespace), resourceQuotaType) {
		c.lists = append(c.lists, listResult{Type: listed, First: first})
	}
	if c.snapshot, err = c.takeSnapshot(t.Context(), source); err != nil {
		t.Fatal(err)
	}
	c.snapshot.read[resourceQuotaType.GVR().GroupResource()] = true
	return c
}

// storyChecks are the checks of what a recording holds.
func (c *checker) storyChecks(t *testing.T) []stuck.Check {
	t.Helper()
	types := newTypes(c.lists)
	services := stuck.Check{Name: APIServices, Problems: c.staleGroups(nil)}
	for _, s := range c.view.APIServices().Items {
		if p, unhealthy := c.unavailableAPIService(s); unhealthy {
			services.Problems = append(services.Problems, p)
		}
	}
	checks := []stuck.Check{services, checkWatchers(t.Context(), c, types), checkControllers(t.Context(), c, types), checkWebhooks(t.Context(), c, types)}
	for i, name := range []string{APIServices, Watchers, Controllers, Webhooks} {
		checks[i].Name = name
	}
	return checks
}

// hostileCheck is a check of what is in no recording.
func (c *checker) hostileCheck(kind hostile.Affixes) stuck.Check {
	bad := kind.Name("bad")
	problems := c.flowControlProblems(cluster.Metrics{
		Started: c.view.Now().Add(-time.Hour), FlowRejections: map[cluster.FlowKey]int{{FlowSchema: bad, PriorityLevel: bad, Reason: "queue-full"}: 1000},
	})
	problems = append(problems, failingChecks("/readyz", []live.HealthCheck{{Name: bad, Message: kind.Text()}})...)
	problems = append(problems, c.listProblem(stuck.Type{Group: bad, Version: bad, Resource: bad, Kind: bad}, errors.New(kind.Text())))
	return stuck.Check{Name: List, Summary: bad, Details: []string{bad}, Problems: problems}
}

// checkReports checks what is printed of a health report in each format, and returns the document.
func checkReports(t *testing.T, h stuck.Health) string {
	t.Helper()
	document, err := json.Marshal(report.NewHealthReport(h))
	if err != nil {
		t.Fatal(err)
	}
	formats := map[string]func(io.Writer) error{
		"":     func(out io.Writer) error { return report.HealthText(out, h, 80, false) },
		"wide": func(out io.Writer) error { return report.HealthText(out, h, 0, true) },
		"json": func(out io.Writer) error { _, err := out.Write(document); return err },
	}
	for _, format := range report.ReportFormats {
		formats[format] = func(out io.Writer) error { return report.WriteReport(out, format, report.NewHealthSummary(h)) }
	}
	for format, write := range formats {
		var out bytes.Buffer
		if err := errors.Join(write(report.EscapeWriter(&out)), hostile.CheckOutput(format, out.String())); err != nil {
			t.Errorf("-o %s: %v", format, err)
		}
	}
	return string(document)
}
