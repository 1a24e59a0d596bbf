package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ColumnWriter writes rows whose columns line up on a terminal. Those of kubectl
// (github.com/liggitt/tabwriter) give every character the width of one, which leaves
// rows with wide or combining characters out of line.
type ColumnWriter struct {
	// Gap is how many spaces are between columns, MinWidth how wide a column is at
	// least, those included.
	Gap, MinWidth int
	// widths are those of the columns as far as they are known. They only grow, so that
	// rows which are written later keep to the columns.
	widths []int
}

// Reserve makes columns at least so wide.
func (w *ColumnWriter) Reserve(widths ...int) {
	for i, n := range widths {
		if i == len(w.widths) {
			w.widths = append(w.widths, 0)
		}
		w.widths[i] = max(w.widths[i], n)
	}
}

// Write writes rows of cells, of which the last is not padded. A column is as wide as
// most of its cells: the few longer ones move the rest of their row to the right, and
// not all rows.
func (w *ColumnWriter) Write(out io.Writer, rows [][]string) error {
	w.Reserve(w.usualWidths(rows)...)
	var b strings.Builder
	for _, cells := range rows {
		end, stop := 0, 0
		for i, cell := range cells {
			b.WriteString(cell)
			end += displayWidth(cell)
			if i < len(cells)-1 {
				stop += w.widths[i]
				blanks := max(w.Gap, stop-end)
				b.WriteString(strings.Repeat(" ", blanks))
				end += blanks
			}
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// manyRows is from how many rows on a column does not have to hold all of its cells.
const manyRows = 12

// narrowColumn is how wide a column may be that always holds all of its cells: its words
// are read from top to bottom.
const narrowColumn = 16

// usualWidths are the widths of all columns but the last: of few rows and of narrow columns
// that of the widest cell, of many rows that of the widest of nine tenths of the cells.
func (w *ColumnWriter) usualWidths(rows [][]string) []int {
	var out []int
	for i := 0; ; i++ {
		var widths []int
		for _, cells := range rows {
			if i < len(cells)-1 {
				widths = append(widths, displayWidth(cells[i])+w.Gap)
			}
		}
		if len(widths) == 0 {
			return out
		}
		first := widths[0] // that of the header, where there is one
		slices.Sort(widths)
		last := len(widths) - 1
		if len(widths) >= manyRows && widths[last] > narrowColumn {
			last = len(widths) * 9 / 10
		}
		out = append(out, max(widths[last], first, w.MinWidth))
	}
}

// TableWriter writes tables one below another, in the same columns.
type TableWriter struct {
	Wide, NoHeaders bool
	Columns         ColumnWriter
}

// Write writes the rows of a table, and its headers where they are not written yet.
func (w *TableWriter) Write(out io.Writer, table *metav1.Table) error {
	if len(table.Rows) == 0 {
		return nil
	}
	var rows [][]string
	if !w.NoHeaders {
		w.NoHeaders = true
		var headers []any
		for _, column := range table.ColumnDefinitions {
			headers = append(headers, strings.ToUpper(column.Name))
		}
		rows = append(rows, w.shown(table, headers))
	}
	for _, row := range table.Rows {
		rows = append(rows, w.shown(table, row.Cells))
	}
	return w.Columns.Write(out, rows)
}

// shown are the cells of the columns that are shown, each on one line.
func (w *TableWriter) shown(table *metav1.Table, cells []any) []string {
	var out []string
	for i, cell := range cells {
		if w.Wide || table.ColumnDefinitions[i].Priority == 0 {
			out = append(out, escapeCell(fmt.Sprint(cell)))
		}
	}
	return out
}

// escapeCell is a text on one line of one column: two spaces are what parts columns, and
// the name of a Role may hold any number of them.
func escapeCell(text string) string {
	var b strings.Builder
	last := ' '
	for _, r := range stuck.EscapeLine(text) {
		if r == ' ' && last == ' ' {
			b.WriteString(`\u0020`)
		} else {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}
