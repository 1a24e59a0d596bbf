// Package schema makes the JSON Schemas of the documents that -o json and -o yaml print, and of that in a snapshot, from the Go types of the documents.
package schema

import (
	"path/filepath"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/dump"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
)

const (
	module = "github.com/kubectl-finalizers/kubectl-finalizers"
	// baseURL is where the schemas are read.
	baseURL = "https://" + module + "/raw/main/docs/schema/"
)

// documents are the documents, by their kind.
var documents = map[string]any{
	"Catalog":             report.Catalog{},
	"Explanation":         report.Explanation{},
	"ExplanationList":     report.ExplanationList{},
	"HealthReport":        report.HealthReport{},
	"HealthReportList":    report.HealthReportList{},
	"KnownFinalizer":      report.KnownFinalizer{},
	"PreflightReport":     report.PreflightReport{},
	"PreflightReportList": report.PreflightReportList{},
	"RemovalPlan":         report.RemovalPlan{},
	"RemovalResult":       report.RemovalResult{},
	"RestorePlan":         report.RestoreDocument{},
	"RestoreResult":       report.RestoreDocument{},
	"Snapshot":            dump.Snapshot{},
	"StuckEvent":          report.StuckEvent{},
	"StuckList":           report.StuckList{},
	"SweepReport":         report.SweepReport{},
	"Version":             report.Version{},
	"WaitEvent":           report.WaitEvent{},
}

// packages are those whose types are in the documents.
var packages = []string{"pkg/stuck", "pkg/catalog", "pkg/cluster", "pkg/cluster/dump", "pkg/preflight", "pkg/removal", "pkg/report", "pkg/sweep"}

// All are the schemas of all documents by kind. root is the folder of the product's module. Unless they are strict, they allow
// fields that are not in them, which a later version may add.
func All(root string, strict bool) (map[string]*jsonschema.Schema, error) {
	reflector, err := newReflector(root)
	if err != nil {
		return nil, err
	}
	reflector.AllowAdditionalProperties = !strict
	out := map[string]*jsonschema.Schema{}
	for kind, document := range documents {
		out[kind] = reflector.Reflect(document)
		out[kind].ID = jsonschema.ID(baseURL + FileName(kind))
		out[kind].Title = kind
		setConstant(out[kind], "apiVersion", report.APIVersion)
		setConstant(out[kind], "kind", kind)
	}
	return out, nil
}

// newReflector knows the comments and the constants of the packages.
func newReflector(root string) (*jsonschema.Reflector, error) {
	comments, enums := map[string]string{}, map[string][]any{}
	for _, each := range packages {
		folder := filepath.Join(root, each)
		var read jsonschema.Reflector
		if err := read.AddGoComments("", folder); err != nil {
			return nil, err
		}
		for name, comment := range read.CommentMap { // which names its package by the folder
			comments[module+"/"+each+strings.TrimPrefix(name, folder)] = comment
		}
		found, err := readEnums(folder)
		if err != nil {
			return nil, err
		}
		for name, values := range found {
			enums[module+"/"+each+"."+name] = values
		}
	}
	return &jsonschema.Reflector{
		ExpandedStruct: true, Anonymous: true, CommentMap: comments,
		Namer: func(t reflect.Type) string { // as if it were exported
			initial := min(1, len(t.Name()))
			return strings.ToUpper(t.Name()[:initial]) + t.Name()[initial:]
		},
		Mapper: func(t reflect.Type) *jsonschema.Schema {
			if values := enums[t.PkgPath()+"."+t.Name()]; t.Kind() == reflect.String && values != nil {
				return &jsonschema.Schema{Type: "string", Enum: values}
			}
			return nil
		},
	}, nil
}

// FileName is the name of a schema's file in docs/schema.
func FileName(kind string) string { return kind + ".json" }

func setConstant(s *jsonschema.Schema, name, value string) {
	if property, ok := s.Properties.Get(name); ok {
		property.Const = value
	}
}
