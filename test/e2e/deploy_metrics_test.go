package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// foreignMetrics are those in queries that are not the plugin's, with their labels.
var foreignMetrics = map[string][]string{"node_textfile_mtime_seconds": {"file"}}

// checkQueries expects that each query of the alerts and of the dashboard names a metric, and labels, that the plugin writes.
func checkQueries(t *testing.T, p *plane.Plane) {
	written := map[string][]string{}
	for _, args := range [][]string{{"list", "-A", "-o", "openmetrics"}, {"health", "--check", "list,webhooks", "-o", "openmetrics"}} {
		out, errOut, code := finalizers(t, p.Env(plane.Admin), args...)
		if code != 0 {
			t.Fatalf("%v ended with %d: %s", args, code, errOut)
		}
		for name, labels := range writtenMetrics(out) {
			written[name] = labels
		}
	}
	queries := append(ruleQueries(t), dashboardQueries(t)...)
	if len(queries) < 10 {
		t.Fatalf("there are only %d queries: %q", len(queries), queries)
	}
	named := map[string]bool{}
	for _, query := range queries {
		ours := false
		for metric, labels := range queriedMetrics(query) {
			known, ok := written[metric]
			if ok {
				ours, named[metric] = true, true
			} else if known, ok = foreignMetrics[metric]; !ok {
				t.Errorf("no command writes %s: %s", metric, query)
				continue
			}
			for _, label := range labels {
				if len(known) > 0 && !slices.Contains(known, label) {
					t.Errorf("%s has no label %s, only %q: %s", metric, label, known, query)
				}
			}
		}
		if !ours {
			t.Errorf("no metric of the plugin is in %q", query)
		}
	}
	for metric := range written {
		if !named[metric] {
			t.Errorf("nothing shows %s", metric)
		}
	}
}

var (
	typeLine   = regexp.MustCompile(`(?m)^# TYPE (\S+) `)
	labelName  = regexp.MustCompile(`([a-z_]+)=~?"`)
	byClause   = regexp.MustCompile(`\b(?:by|without) \(([^)]*)\)`)
	matchers   = regexp.MustCompile(`\{[^}]*\}`)
	identifier = regexp.MustCompile(`[a-zA-Z_:][a-zA-Z0-9_:]*\s*\(?`)
)

// writtenMetrics are the metrics in OpenMetrics text, each with the labels of its first sample.
func writtenMetrics(text string) map[string][]string {
	out := map[string][]string{}
	for _, found := range typeLine.FindAllStringSubmatch(text, -1) {
		sample := regexp.MustCompile(`(?m)^` + found[1] + `\{.*`).FindString(text)
		out[found[1]] = labelNames(sample)
	}
	return out
}

func labelNames(text string) (names []string) {
	for _, found := range labelName.FindAllStringSubmatch(text, -1) {
		names = append(names, found[1])
	}
	return names
}

// queriedMetrics are the metrics that a query names, each with all labels of the query.
func queriedMetrics(query string) map[string][]string {
	labels := labelNames(query)
	for _, found := range byClause.FindAllStringSubmatch(query, -1) {
		labels = append(labels, strings.Split(strings.ReplaceAll(found[1], " ", ""), ",")...)
	}
	out := map[string][]string{}
	for _, word := range identifier.FindAllString(byClause.ReplaceAllString(matchers.ReplaceAllString(query, ""), ""), -1) {
		if word = strings.TrimSpace(word); !strings.HasSuffix(word, "(") && !slices.Contains([]string{"or", "and", "unless"}, word) {
			out[word] = labels
		}
	}
	if len(out) > 1 { // which label is whose is not known
		for metric := range out {
			out[metric] = nil
		}
	}
	return out
}

// ruleQueries are the expressions of the alerts.
func ruleQueries(t *testing.T) (queries []string) {
	t.Helper()
	type manifest struct {
		Spec struct {
			Groups []struct {
				Rules []struct{ Alert, Expr string }
			}
		}
	}
	rule := readManifest(t, filepath.Join(deployFolder, "prometheusrule.yaml"), func(manifest) bool { return true })
	for _, group := range rule.Spec.Groups {
		for _, r := range group.Rules {
			queries = append(queries, r.Expr)
		}
	}
	return queries
}

// dashboardQueries are those of the panels.
func dashboardQueries(t *testing.T) (queries []string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(deployFolder, "dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(content, &dashboard); err != nil {
		t.Fatal(err)
	}
	for _, panel := range dashboard.Panels {
		if len(panel.Targets) == 0 {
			t.Errorf("panel %q asks for nothing", panel.Title)
		}
		for _, target := range panel.Targets {
			queries = append(queries, target.Expr)
		}
	}
	return queries
}
