package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestSourcesShowEverything holds that every fact of an entry says where it was read. Files in testdata/unsourced.txt do not
// do so yet: the list may only get shorter.
func TestSourcesShowEverything(t *testing.T) {
	files, err := embeddedFiles()
	if err != nil {
		t.Fatal(err)
	}
	var unsourced strings.Builder
	for _, file := range files {
		entries, err := parseFile(file, areaOf(file))
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(entries, func(e Entry) bool { return len(missingAspects(e)) > 0 }) {
			fmt.Fprintln(&unsourced, file.Name)
		}
	}
	golden(t, "unsourced.txt", []byte(unsourced.String()))
}

func TestMissingAspects(t *testing.T) {
	removal := []Source{{Shows: []Aspect{AspectRemoval, AspectCleanup}}}
	runs := Component{RemovedBy: RemovedByWorkload, Workloads: []string{"deployment/a"}}
	for name, test := range map[string]struct {
		entry Entry
		want  []Aspect
	}{
		"nothing is shown":         {entry: Entry{Component: runs}, want: knownAspects()},
		"a workload that is not":   {entry: Entry{Component: runs, Source: removal}, want: []Aspect{AspectAddition, AspectWorkload}},
		"nothing runs it here":     {entry: Entry{Component: Component{RemovedBy: RemovedByCloud}, Source: removal}, want: []Aspect{AspectAddition}},
		"nothing adds it any more": {entry: Entry{Status: StatusDeprecated, Source: removal}},
		"only a person removes it": {entry: Entry{Component: Component{RemovedBy: RemovedByPerson}}, want: []Aspect{AspectAddition}},
	} {
		if got := missingAspects(test.entry); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v is missing, want %v", name, got, test.want)
		}
	}
}

// missingAspects are what no source of the entry or of its component shows, of what there is to show.
func missingAspects(e Entry) []Aspect {
	var shown, missing []Aspect
	for _, s := range slices.Concat(e.Source, e.Component.Source) {
		shown = append(shown, s.Shows...)
	}
	exists := map[Aspect]bool{
		AspectAddition: e.Status == StatusInUse,
		AspectRemoval:  e.Component.RemovedBy != RemovedByPerson,
		AspectCleanup:  e.Component.RemovedBy != RemovedByPerson,
		AspectWorkload: len(e.Component.Workloads)+len(e.Component.Labels) > 0,
	}
	for _, aspect := range knownAspects() {
		if exists[aspect] && !slices.Contains(shown, aspect) {
			missing = append(missing, aspect)
		}
	}
	return missing
}
