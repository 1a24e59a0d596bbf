package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/diagnose"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/find"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// explain prints why the objects that are left are stuck. The types are read again: that one
// cannot be read any more may be the cause.
func (s *waitScreen) explain(ctx context.Context, left []stuck.Object) error {
	served, known, err := s.program.loadTypesAndCatalog(ctx, s.source)
	if err != nil {
		return fmt.Errorf("explaining what is left: %w", err)
	}
	view := served.newView(ctx, s.source, s.probe)
	objects, failed, err := s.readAgain(ctx, view, left)
	if err != nil {
		return err
	}
	diagnoses, err := diagnose.Objects(ctx, view, known, objects)
	if err != nil {
		return err
	}
	if err := s.printExplanations(diagnoses, explainScreens{
		explainOptions: s.explainOptions, view: view, served: served, catalog: known, several: len(left) > 1,
	}); err != nil {
		return err
	}
	for _, failure := range failed {
		fmt.Fprintf(s.program.Streams.ErrOut, "error: %s\n", message(failure))
	}
	switch {
	case len(failed) > 0:
		return exitFailed
	case len(objects) == 0: // deleted at the last moment
		return nil
	}
	return exitStuck
}

// readAgain reads the objects that are left.
func (s *waitScreen) readAgain(ctx context.Context, view *cluster.View, left []stuck.Object) (objects []stuck.Object, failed []error, err error) {
	for _, known := range left {
		object, readErr := find.Object(ctx, s.source, view, known.Type, known.Namespace, known.Name)
		switch {
		case cluster.IsObjectNotFound(readErr), readErr == nil && object.Key() != known.Key():
			err = errors.Join(err, s.deleted(known))
		case readErr != nil:
			failed = append(failed, fmt.Errorf("reading %s: %w", known.RefInNamespace(), readErr))
		default:
			objects = append(objects, object)
		}
	}
	return objects, failed, err
}

// printExplanations prints a screen, or with -o json a document for each object.
func (s *waitScreen) printExplanations(diagnoses []*stuck.Diagnosis, screens explainScreens) error {
	switch {
	case isReport(s.output.chosen):
		return s.report(diagnoses, screens.view.AllGaps())
	case s.output.chosen != "json":
		return screens.print(diagnoses)
	}
	var lost error
	encoder := json.NewEncoder(s.program.Streams.Out)
	for _, d := range diagnoses {
		lost = errors.Join(lost, encoder.Encode(report.NewExplanation(d, screens.view.AllGaps())))
	}
	return lost
}
