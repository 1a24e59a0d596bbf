package main

import "strings"

// allowance is a phrase that is right in some files.
type allowance struct {
	files  string // how their names begin
	phrase string
}

// allowed are the exceptions, each with its reason. To reword the sentence is better.
func allowed() []allowance {
	return []allowance{
		// What a hostile object says, to be mistaken for words of ours.
		{"pkg/stuck/escape_test.go", "is well"},
		{"pkg/report/escape_test.go", "is well"},
		{"pkg/report/explanation_text_test.go", "is well"},
		{"pkg/report/table_test.go", "is well"},
		{"pkg/cluster/status_texts_test.go", "is well"},
		// What kubectl and the API server write: NAME not found in namespace "N".
		{"pkg/cmd/read_target.go", "%s in namespace"},
		// The value of an annotation that kube-janitor reads.
		{"pkg/sweep/expiry", "forever"},
		{"pkg/sweep/fuzz_test.go", "forever"},
		{"pkg/cmd/sweep.go", "forever"},
		{"docs/ci.md", "forever"},
		{"test/e2e/sweep_test.go", "forever"},
		// The name of a namespace.
		{"testdata/scenarios/operator-is-not-ready/", "catalogue"},
	}
}

// isAllowed reports whether a phrase has a reason to stand in a file.
func isAllowed(name, phrase string) bool {
	for _, a := range allowed() {
		if strings.HasPrefix(name, a.files) && strings.EqualFold(phrase, a.phrase) {
			return true
		}
	}
	return false
}
