package report_test

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
)

// Columns line up on a terminal, where some characters take two places and others none.
func TestColumnsOfWideAndCombiningCharacters(t *testing.T) {
	columns := report.ColumnWriter{Gap: 2}
	got := output(t, func(out io.Writer) error {
		return columns.Write(out, [][]string{{"NAME", "CAUSE"}, {"角色", "a"}, {"cafe\u0301", "b"}, {"hangar", "c"}})
	})
	want := "NAME    CAUSE\n角色    a\ncafe\u0301    b\nhangar  c\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The rows of a watch stand below those that were printed before.
func TestColumnsStayWhereTheyAre(t *testing.T) {
	writer := report.TableWriter{Columns: report.ColumnWriter{Gap: 2}}
	writer.Columns.Reserve(8)
	table := func(cells ...any) *metav1.Table {
		return &metav1.Table{
			ColumnDefinitions: []metav1.TableColumnDefinition{{Name: "Object"}, {Name: "Finalizers", Priority: 1}, {Name: "Objects", Type: "integer"}, {Name: "Cause"}},
			Rows:              []metav1.TableRow{{Cells: cells}},
		}
	}
	got := output(t, func(out io.Writer) error {
		for _, next := range []*metav1.Table{table("pod/a", "x", 1, "first"), {}, table("pod/very-long", "x", 20, "a\nb"), table("pod/c", "x", 3, "last")} {
			if err := writer.Write(out, next); err != nil {
				return err
			}
		}
		return nil
	})
	want := strings.Join([]string{
		"OBJECT  OBJECTS  CAUSE",
		"pod/a   1        first",
		`pod/very-long  20       a\u000ab`,
		"pod/c          3        last",
		"",
	}, "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A Role may be named like the cells of a row, with the spaces between them.
func TestSpacesInNamesForgeNoColumns(t *testing.T) {
	writer := report.TableWriter{Columns: report.ColumnWriter{Gap: 2}}
	table := &metav1.Table{
		ColumnDefinitions: []metav1.TableColumnDefinition{{Name: "Object"}, {Name: "Verdict"}},
		Rows:              []metav1.TableRow{{Cells: []any{"role/a b   ControllerGone", "Unknown"}}, {Cells: []any{" ", "Unknown"}}},
	}
	got := output(t, func(out io.Writer) error { return writer.Write(out, table) })
	want := strings.Join([]string{
		"OBJECT                               VERDICT",
		`role/a b \u0020\u0020ControllerGone  Unknown`,
		`\u0020                               Unknown`,
		"",
	}, "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// One long name moves the rest of its own row, and not all rows.
func TestLongCellsDoNotWidenManyRows(t *testing.T) {
	rows := [][]string{{"OBJECT", "SINCE", "CAUSE"}}
	for range 20 {
		rows = append(rows, []string{"pvc/data", "1s", "claim-in-use"})
	}
	rows = append(rows, []string{"volumeattachment/csi-0f86d081884c7d659a2feaa0c55ad015", "1s", "volume-attached"})
	var out strings.Builder
	if err := (&report.ColumnWriter{Gap: 2}).Write(&out, rows); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if lines[1] != "pvc/data  1s     claim-in-use" || lines[21] != "volumeattachment/csi-0f86d081884c7d659a2feaa0c55ad015  1s  volume-attached" {
		t.Errorf("it writes\n%s", out.String())
	}
}
