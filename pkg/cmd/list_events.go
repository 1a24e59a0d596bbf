package cmd

import (
	"encoding/json"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// watchColumns are how wide the columns of a watch are at least, so that most rows to
// come fit into them: TIME, EVENT, NAMESPACE, OBJECT, SINCE, VERDICT and CAUSE.
var watchColumns = []int{9, 7, 16, 32, 5, 14, 24}

// namespaceColumn is the place of NAMESPACE in them.
const namespaceColumn = 2

// reserveWatchColumns keeps the columns of a watch where they are.
func (o *listOptions) reserveWatchColumns() {
	var widths []int
	for i, width := range watchColumns {
		if i != namespaceColumn || o.namespace == "" {
			widths = append(widths, width+columnGap)
		}
	}
	o.table.Columns.Reserve(widths...)
}

// printEvents prints what has happened to objects: a row each, those that are similar in
// one, or a document each.
func (o *listOptions) printEvents(event report.Event, diagnoses []*stuck.Diagnosis) error {
	out := o.program.Streams.Out
	switch {
	case len(diagnoses) == 0 || o.output.Format == "name" && event != report.EventStuck:
		return nil
	case o.output.Format == "name":
		return o.output.printList(report.NewStuckList(diagnoses, nil), out)
	case o.output.table():
		return o.table.Write(out, o.objectTable(diagnoses, event))
	}
	encoder := json.NewEncoder(out)
	for _, document := range report.NewStuckEvents(event, diagnoses, o.source.Now()) {
		if err := encoder.Encode(document); err != nil {
			return err
		}
	}
	return nil
}
