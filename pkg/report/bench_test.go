package report_test

import (
	"fmt"
	"io"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// BenchmarkPrint prints objects that are stuck, no two of them alike, as a
// table and as JSON. What each takes should not grow with their number.
func BenchmarkPrint(b *testing.B) {
	now := time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)
	for _, n := range []int{500, 5000} {
		diagnoses := make([]*stuck.Diagnosis, n)
		for i := range diagnoses {
			diagnoses[i] = &stuck.Diagnosis{
				Object: stuck.Object{
					Type:      stuck.Type{Group: "example.com", Version: "v1", Resource: "widgets", Kind: "Widget", SingularName: "widget"},
					Namespace: fmt.Sprintf("shop-%d", i), Name: fmt.Sprintf("w%d", i), UID: types.UID(fmt.Sprintf("uid-%d", i)),
					DeletionTime: now.Add(-time.Hour), Finalizers: []string{"example.com/cleanup"},
				},
				Verdict: stuck.Blocked,
				Findings: []stuck.Finding{{
					Cause: "controller-down", Message: "its controller is down", Verdict: stuck.Blocked, Certainty: stuck.Confirmed,
					BlockedBy: stuck.Culprit{Kind: "Deployment", Namespace: "widgets", Name: "operator"},
				}},
			}
		}
		for form, print := range map[string]func() error{
			"table": func() error {
				return (&report.TableWriter{}).Write(io.Discard, report.Table(diagnoses, report.TableOptions{Now: now, WithNamespace: true}))
			},
			"json": func() error {
				list, err := report.NewStuckList(diagnoses, nil).Unstructured()
				if err != nil {
					return err
				}
				return (&printers.JSONPrinter{}).PrintObj(list, io.Discard)
			},
		} {
			b.Run(fmt.Sprintf("%s of %d objects", form, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := print(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "µs/object")
			})
		}
	}
}
