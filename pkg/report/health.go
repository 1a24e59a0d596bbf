package report

import (
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// HealthReport is the document of the health command.
type HealthReport struct {
	// Cluster is left out of the report of one cluster.
	Cluster       string        `json:"cluster,omitempty"`
	APIVersion    string        `json:"apiVersion"`
	Kind          string        `json:"kind"`
	ServerVersion string        `json:"serverVersion"`
	State         stuck.State   `json:"state"`
	Seconds       stuck.Seconds `json:"seconds"`
	// AvailableChecks is how many checks there are, of which those in Checks ran.
	AvailableChecks int `json:"availableChecks"`
	// OnlyTypes are the types that the checks were limited to, empty for all, and
	// Namespace the namespace.
	OnlyTypes []string `json:"onlyTypes"`
	Namespace string   `json:"namespace,omitempty"`
	// StuckObjects is how many objects are stuck in Terminating, and BlockedObjects how
	// many of them the problems block.
	StuckObjects   int                `json:"stuckObjects"`
	BlockedObjects int                `json:"blockedObjects"`
	Checks         []HealthCheck      `json:"checks"`
	Types          []stuck.TypeHealth `json:"types"`
	Gaps           []Gap              `json:"gaps"`
}

// HealthReportList is the document of the health command for several clusters. Its gaps are the
// clusters of which nothing could be read.
type HealthReportList struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Items      []HealthReport `json:"items"`
	Clusters   []Cluster      `json:"clusters"`
	Gaps       []Gap          `json:"gaps"`
}

// NewHealthReportList is the document of the reports of several clusters.
func NewHealthReportList(clusters []Cluster, items []HealthReport) HealthReportList {
	return HealthReportList{APIVersion: APIVersion, Kind: "HealthReportList", Items: nonNil(items), Clusters: clusters, Gaps: ClusterGaps(clusters)}
}

// HealthCheck is one section of the report.
type HealthCheck struct {
	Check   string      `json:"check"`
	State   stuck.State `json:"state"`
	Summary string      `json:"summary"`
	Details []string    `json:"details"`
	// Incomplete says that not everything could be checked, whatever was found.
	Incomplete bool            `json:"incomplete"`
	Problems   []HealthProblem `json:"problems"`
}

// HealthProblem is a problem with references to the objects that it blocks.
type HealthProblem struct {
	stuck.Problem
	Blocks []stuck.Culprit `json:"blocks"`
}

// NewHealthReport is the document of a health check.
func NewHealthReport(h stuck.Health) HealthReport {
	out := HealthReport{
		APIVersion: APIVersion, Kind: "HealthReport", ServerVersion: h.Version, State: h.Worst(), Seconds: stuck.Seconds(float64(h.Duration.Milliseconds()) / 1000),
		AvailableChecks: h.AvailableChecks, OnlyTypes: nonNil(h.OnlyTypes), Namespace: h.Namespace,
		StuckObjects: h.StuckObjects, BlockedObjects: h.BlockedObjects(),
		Checks: []HealthCheck{}, Types: nonNil(h.Types), Gaps: newGaps(h.Gaps),
	}
	for _, c := range h.Checks {
		check := HealthCheck{Check: c.Name, State: c.State(), Summary: c.Summary, Details: nonNil(c.Details), Incomplete: c.Incomplete, Problems: []HealthProblem{}}
		for _, problem := range c.Problems {
			problem.Evidence, problem.Impact, problem.Steps = nonNil(problem.Evidence), nonNil(problem.Impact), nonNil(problem.Steps)
			problem.Causes = nonNil(problem.Causes)
			p := HealthProblem{Problem: problem, Blocks: []stuck.Culprit{}}
			for _, o := range stuck.BlockedBy(problem) {
				p.Blocks = append(p.Blocks, o.Culprit())
			}
			check.Problems = append(check.Problems, p)
		}
		out.Checks = append(out.Checks, check)
	}
	return out
}

// HealthTable is what was measured of each type.
func HealthTable(types []stuck.TypeHealth) *metav1.Table {
	table := &metav1.Table{}
	for _, name := range []string{"Type", "List", "List Time", "Objects", "Watch", "First Event", "Informer", "Sync Time", "Relists", "Errors", "Watchers"} {
		table.ColumnDefinitions = append(table.ColumnDefinitions, metav1.TableColumnDefinition{Name: name, Type: "string"})
	}
	for _, t := range types {
		table.Rows = append(table.Rows, metav1.TableRow{Cells: escapeCells([]any{
			t.Type, orDash(t.List), secondsText(t.ListSeconds), countText(t.Objects), orDash(t.Watch), secondsText(t.FirstEventSeconds),
			orDash(t.Informer), secondsText(t.SyncSeconds), strconv.Itoa(t.Relists), strconv.Itoa(t.WatchErrors), countText(t.Watchers),
		})})
	}
	return table
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return strings.Join(strings.Fields(text), " ")
}

func secondsText(s stuck.Seconds) string {
	if s == 0 {
		return "-"
	}
	return strconv.FormatFloat(float64(s), 'f', -1, 64) + "s"
}

func countText[T int | int64](n *T) string {
	if n == nil {
		return "-"
	}
	return strconv.FormatInt(int64(*n), 10)
}
