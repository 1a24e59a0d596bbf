package report

import (
	"encoding/json"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
)

// Catalog is the document of many finalizers.
type Catalog struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Items      []catalog.Entry `json:"items"`
}

// KnownFinalizer is the document of one finalizer, and how it is known.
type KnownFinalizer struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	catalog.Match
}

// NewCatalog is the document of some entries.
func NewCatalog(entries []catalog.Entry) Catalog {
	return Catalog{APIVersion: APIVersion, Kind: "Catalog", Items: nonNil(entries)}
}

// NewKnownFinalizer is the document of one match. Its commands have what the type and the
// pattern tell filled in.
func NewKnownFinalizer(m catalog.Match, typeName string) KnownFinalizer {
	m.Entries = fillCommands(m, typeName)
	return KnownFinalizer{APIVersion: APIVersion, Kind: "KnownFinalizer", Match: m}
}

// Unstructured is the document as kubectl's printers want it.
func (c Catalog) Unstructured() (*unstructured.UnstructuredList, error) {
	out := &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": c.APIVersion, "kind": c.Kind}}
	for _, entry := range c.Items {
		object, err := toMap(entry)
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, unstructured.Unstructured{Object: object})
	}
	return out, nil
}

// Unstructured is the document as kubectl's printers want it.
func (k KnownFinalizer) Unstructured() (*unstructured.Unstructured, error) {
	object, err := toMap(k)
	return &unstructured.Unstructured{Object: object}, err
}

// toMap goes by way of JSON: kubectl's own converter would also take what is
// not exported.
func toMap(value any) (map[string]any, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var object map[string]any
	return object, json.Unmarshal(text, &object)
}

// CatalogNames are the finalizers and patterns of entries, each once.
func CatalogNames(entries []catalog.Entry) []string {
	var names []string
	seen := map[string]bool{}
	for _, entry := range entries {
		if !seen[entry.Name()] {
			seen[entry.Name()] = true
			names = append(names, entry.Name())
		}
	}
	return names
}

// CatalogTable is a line for each entry.
func CatalogTable(entries []catalog.Entry) *metav1.Table {
	table := &metav1.Table{ColumnDefinitions: []metav1.TableColumnDefinition{
		{Name: "Finalizer", Type: "string"},
		{Name: "Project", Type: "string"},
		{Name: "If Forced", Type: "string"},
		{Name: "Removed By", Type: "string"},
		{Name: "Set On", Type: "string", Priority: 1},
		{Name: "Role", Type: "string", Priority: 1},
		{Name: "Status", Type: "string", Priority: 1},
		{Name: "Does First", Type: "string", Priority: 1},
	}}
	for _, e := range entries {
		status := string(e.Status)
		if status == "" {
			status = "in use"
		}
		table.Rows = append(table.Rows, metav1.TableRow{Cells: []any{
			e.Name(), e.Project, e.Leak.Words(), removedByText(e.Component), typesText(e.Types), string(e.Role), status, e.WaitsFor,
		}})
	}
	return table
}

// removedByText is what removes a finalizer.
func removedByText(c catalog.Component) string {
	if len(c.Workloads) > 0 {
		return strings.Join(c.Workloads, ", ")
	}
	return c.RemovedBy.Text()
}

// fillCommands are the entries of a match with all that is known filled into their
// commands; what the reader has to fill in is in angle brackets.
func fillCommands(m catalog.Match, typeName string) []catalog.Entry {
	entries := slices.Clone(m.Entries)
	for i, e := range entries {
		entries[i] = e.FillForReader(m.Values("", "", typeArgument(e, typeName)))
	}
	return entries
}

// typeArgument is what to call the type in a command, empty where that is for the
// reader to fill in.
func typeArgument(e catalog.Entry, typeName string) string {
	switch {
	case typeName != "":
		return strings.ToLower(typeName)
	case len(e.Types) == 1 && !strings.Contains(string(e.Types[0]), "*"):
		return strings.ToLower(string(e.Types[0]))
	}
	return ""
}
