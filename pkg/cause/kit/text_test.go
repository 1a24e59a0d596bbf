package kit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// Of many types the most frequent are named, and the objects of the others counted.
func TestFormatCounts(t *testing.T) {
	for types, want := range map[int]string{
		2:   "2 kind001s, 1 kind000",
		11:  "11 kind010s, 10 kind009s, 9 kind008s, 8 kind007s, 7 kind006s, 6 kind005s, 5 kind004s, 4 kind003s, 3 kind002s, 2 kind001s, 1 kind000",
		200: "191 kind190s and 18145 objects of 190 other types",
	} {
		counts := map[cluster.TypeName]int{}
		for i := range types {
			name := fmt.Sprintf("kind%03d", i)
			counts[cluster.TypeName{Plural: name + "s", Singular: name}] = i + 1
		}
		if got := kit.FormatCounts(counts); !strings.HasSuffix(got, want) {
			t.Errorf("%d types: %s", types, got)
		}
	}
}
