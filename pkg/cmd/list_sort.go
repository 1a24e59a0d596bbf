package cmd

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// checkSort is the error of a --sort-by that is no path.
func (f listFlags) checkSort() error {
	if f.sortBy == "" {
		return nil
	}
	if _, err := parsePath(f.sortBy); err != nil {
		return fmt.Errorf("reading --sort-by: %w", err)
	}
	return nil
}

// sorted are diagnoses in the order of a field of their items, as kubectl get sorts
// (k8s.io/kubectl/pkg/cmd/get/sorter.go): those without it first, and quantities by
// size. kubectl's own code would double the time that every command takes to start.
func (o *listOptions) sorted(diagnoses []*stuck.Diagnosis) ([]*stuck.Diagnosis, error) {
	if o.sortBy == "" || len(diagnoses) == 0 {
		return diagnoses, nil
	}
	path, err := parsePath(o.sortBy)
	if err != nil {
		return nil, fmt.Errorf("reading --sort-by: %w", err)
	}
	list, err := report.NewStuckList(diagnoses, nil).Unstructured()
	if err != nil {
		return nil, err
	}
	type item struct {
		diagnosis *stuck.Diagnosis
		field     any // nil where there is none
	}
	items := make([]item, len(diagnoses))
	found := false
	for i, d := range diagnoses {
		results, err := path.FindResults(list.Items[i].Object)
		if err != nil {
			return nil, fmt.Errorf("sorting by %s: %w", o.sortBy, err)
		}
		items[i].diagnosis = d
		if len(results) > 0 && len(results[0]) > 0 {
			items[i].field, found = fieldValue(results[0][0]), true
		}
	}
	if !found {
		return nil, fmt.Errorf("sorting by %s: no object has that field; -o json shows the fields", o.sortBy)
	}
	slices.SortStableFunc(items, func(a, b item) int { return compareFields(a.field, b.field) })
	out := make([]*stuck.Diagnosis, len(items))
	for i := range items {
		out[i] = items[i].diagnosis
	}
	return out, nil
}

func fieldValue(v reflect.Value) any {
	if !v.IsValid() || !v.CanInterface() {
		return nil
	}
	return v.Interface()
}

// compareFields orders nothing before numbers and quantities, those by their size, and
// both before any other text.
func compareFields(a, b any) int {
	left, leftRank := quantityOf(a)
	right, rightRank := quantityOf(b)
	if leftRank != rightRank || leftRank == rankNone {
		return cmp.Compare(leftRank, rightRank)
	}
	if leftRank == rankQuantity {
		return left.Cmp(right)
	}
	return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b))
}

const (
	rankNone = iota
	rankQuantity
	rankText
)

func quantityOf(field any) (resource.Quantity, int) {
	if field == nil {
		return resource.Quantity{}, rankNone
	}
	quantity, err := resource.ParseQuantity(fmt.Sprint(field))
	if err != nil {
		return quantity, rankText
	}
	return quantity, rankQuantity
}
