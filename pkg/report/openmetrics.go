package report

import (
	"cmp"
	"io"
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Metric is a gauge with its samples.
type Metric struct {
	Name, Help string
	Samples    []Sample
}

// Sample is a value with labels, which are names and values in turns.
type Sample struct {
	Labels []string
	Value  float64
}

// The metrics. Their names follow https://prometheus.io/docs/practices/naming.
const (
	metricStuckObjects    = "kubectl_finalizers_stuck_objects"
	metricOldest          = "kubectl_finalizers_stuck_oldest_seconds"
	metricPreflight       = "kubectl_finalizers_preflight_objects"
	metricPreflightOthers = "kubectl_finalizers_preflight_other_objects"
	metricSweep           = "kubectl_finalizers_sweep_objects"
	metricUnread          = "kubectl_finalizers_unread_sources"
	metricProblems        = "kubectl_finalizers_health_problems"
	metricBlocked         = "kubectl_finalizers_health_blocked_objects"
	metricChecksNotDone   = "kubectl_finalizers_health_incomplete_checks"
)

// OpenMetrics writes the counts of a report as OpenMetrics text.
func OpenMetrics(out io.Writer, r Report) error {
	for _, m := range r.Metrics {
		if _, err := expfmt.MetricFamilyToOpenMetrics(out, m.family()); err != nil {
			return err
		}
	}
	_, err := expfmt.FinalizeOpenMetrics(out)
	return err
}

func (m Metric) family() *dto.MetricFamily {
	family := &dto.MetricFamily{Name: &m.Name, Help: &m.Help, Type: dto.MetricType_GAUGE.Enum()}
	for _, sample := range m.Samples {
		metric := &dto.Metric{Gauge: &dto.Gauge{Value: &sample.Value}}
		for i := 0; i+1 < len(sample.Labels); i += 2 {
			value := stuck.EscapeLine(sample.Labels[i+1])
			metric.Label = append(metric.Label, &dto.LabelPair{Name: &sample.Labels[i], Value: &value})
		}
		family.Metric = append(family.Metric, metric)
	}
	return family
}

// stuckMetrics count what is stuck, by type, cause, verdict and controller.
func stuckMetrics(diagnoses []*stuck.Diagnosis, gaps []stuck.Gap, now time.Time) []Metric {
	type key struct{ resource, cause, verdict, controller string }
	counted := slices.DeleteFunc(slices.Clone(diagnoses), func(d *stuck.Diagnosis) bool { return !d.Object.IsStuck(now) && !d.Object.NamespaceMissing })
	groups := stuck.GroupBy(counted, func(d *stuck.Diagnosis) key {
		return key{d.Object.Type.String(), causeID(d), string(d.Verdict), controllerLabel(d)}
	})
	objects := Metric{Name: metricStuckObjects, Help: "Objects that are stuck in Terminating."}
	oldest := Metric{Name: metricOldest, Help: "How long the oldest of the objects has been stuck."}
	for _, group := range groups {
		d := group[0]
		labels := []string{"resource", d.Object.Type.String(), "cause", causeID(d), "verdict", string(d.Verdict), "controller", controllerLabel(d)}
		objects.Samples = append(objects.Samples, Sample{labels, float64(len(group))})
		oldest.Samples = append(oldest.Samples, Sample{labels, stuck.Group(group).MaxStuckDuration(now).Seconds()})
	}
	for _, m := range []Metric{objects, oldest} {
		slices.SortFunc(m.Samples, func(a, b Sample) int { return slices.Compare(a.Labels, b.Labels) })
	}
	return []Metric{objects, oldest, gapMetric(gaps)}
}

// controllerLabel names the controllers of an object, as far as they are known.
func controllerLabel(d *stuck.Diagnosis) string {
	var names []string
	for _, c := range d.Controllers {
		if c.Workload != nil && !slices.Contains(names, c.Workload.String()) {
			names = append(names, c.Workload.String())
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// gapMetric counts what could not be read: without it, nothing stuck looks like a clean cluster.
func gapMetric(gaps []stuck.Gap) Metric {
	return Metric{Name: metricUnread, Help: "Sources that could not be read.", Samples: []Sample{{nil, float64(len(gaps))}}}
}

// healthMetrics count problems, by check, reason and state.
func healthMetrics(h stuck.Health) []Metric {
	type key struct {
		check, reason string
		state         stuck.State
	}
	counts := map[key]int{}
	incomplete := 0
	for _, c := range h.Checks {
		for _, p := range c.Problems {
			counts[key{c.Name, p.Reason, p.State}]++
		}
		if c.Incomplete {
			incomplete++
		}
	}
	problems := Metric{Name: metricProblems, Help: "Problems that keep controllers from removing finalizers."}
	for k, n := range counts {
		problems.Samples = append(problems.Samples, Sample{[]string{"check", k.check, "reason", k.reason, "state", string(k.state)}, float64(n)})
	}
	slices.SortFunc(problems.Samples, func(a, b Sample) int { return cmp.Compare(strings.Join(a.Labels, " "), strings.Join(b.Labels, " ")) })
	return []Metric{
		problems,
		{Name: metricBlocked, Help: "Objects that cannot be deleted because of the problems.", Samples: []Sample{{nil, float64(h.BlockedObjects())}}},
		{Name: metricChecksNotDone, Help: "Checks that could not be done completely.", Samples: []Sample{{nil, float64(incomplete)}}},
		gapMetric(h.Gaps),
	}
}
