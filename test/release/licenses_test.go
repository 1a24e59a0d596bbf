package main

import (
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write licenses.yaml again")

// allowed are the licenses under which code may become part of the program.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"}

func TestLicenses(t *testing.T) {
	all, err := dependencies(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, each := range all {
		if found[each.path], err = each.license(); err != nil {
			t.Error(err)
		}
		for id := range strings.SplitSeq(found[each.path], " AND ") {
			if !slices.Contains(allowed, id) {
				t.Errorf("%s is under %s, which is not one of %s", each.path, id, strings.Join(allowed, ", "))
			}
		}
	}
	if *update {
		text, err := yaml.Marshal(found)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("licenses.yaml", text, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	listed, err := recordedLicenses()
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(found, listed) {
		t.Errorf("licenses.yaml is out of date: read what is new, then run go test -C test/release -run TestLicenses -update\nit lists  %v\nbut there is %v", listed, found)
	}
}
