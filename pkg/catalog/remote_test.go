package catalog

import (
	"strings"
	"testing"
)

func TestRemoteOfAnObject(t *testing.T) {
	remote := Remote{
		FieldValue: FieldValue{Field: "metadata.namespace"}, Prefix: "outpost-", Type: "Outpost.example.com",
		Ready:  []FieldValue{{Condition: "Connected"}, {Field: "metadata.deletionTimestamp"}},
		Unless: []FieldValue{{Condition: "CleanedUp"}},
	}
	condition := func(name, status string) map[string]any {
		return map[string]any{"conditions": []any{map[string]any{"type": name, "status": status}}}
	}
	inNamespace := func(name string) map[string]any { return map[string]any{"namespace": name} }
	for text, test := range map[string]struct {
		object map[string]any
		want   string
	}{
		"behind the prefix":  {map[string]any{"metadata": inNamespace("outpost-north")}, "north"},
		"without the prefix": {map[string]any{"metadata": inNamespace("north")}, ""},
		"not needed":         {map[string]any{"metadata": inNamespace("outpost-north"), "status": condition("CleanedUp", "True")}, ""},
		"still needed":       {map[string]any{"metadata": inNamespace("outpost-north"), "status": condition("CleanedUp", "False")}, "north"},
	} {
		if got := remote.NameIn(test.object); got != test.want {
			t.Errorf("%s: the remote is %q, want %q", text, got, test.want)
		}
	}
	for text, test := range map[string]struct {
		remote map[string]any
		want   bool
	}{
		"connected":           {map[string]any{"status": condition("Connected", "True")}, true},
		"unknown":             {map[string]any{"status": condition("Connected", "Unknown")}, false},
		"without a condition": {map[string]any{}, false},
		"being deleted":       {map[string]any{"metadata": map[string]any{"deletionTimestamp": "2026-01-01T00:00:00Z"}}, true},
	} {
		if got := remote.IsReady(test.remote); got != test.want {
			t.Errorf("%s: ready is %t", text, got)
		}
	}
}

func TestErrorsOfRemotes(t *testing.T) {
	ready := []FieldValue{{Condition: "Connected"}}
	named := FieldValue{Field: "metadata.namespace"}
	for want, remote := range map[string]Remote{
		"name one of field, annotation, label and condition": {Type: "Outpost.example.com", Ready: ready},
		"ready is empty": {FieldValue: named, Type: "Outpost.example.com"},
		"connect: description of a step is missing": {FieldValue: named, Type: "Outpost.example.com", Ready: ready},
	} {
		if err := remote.check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
}
