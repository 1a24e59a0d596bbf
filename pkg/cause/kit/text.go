package kit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Ago is how long a moment is past: "3h12m ago".
func Ago(view *cluster.View, t time.Time) string { return ElapsedText(view, t) + " ago" }

// ElapsedText is how long something has been so: "3h12m".
func ElapsedText(view *cluster.View, t time.Time) string {
	return duration.HumanDuration(Elapsed(view, t))
}

// CountByType is how many objects of which types there are: one by its name, more by
// their numbers: "500 widgets.example.com, 2 pods".
func CountByType(objects []stuck.Object) string {
	if len(objects) == 1 {
		return objects[0].Ref()
	}
	counts := map[cluster.TypeName]int{}
	for _, o := range objects {
		counts[cluster.TypeNameOf(o.Type)]++
	}
	return FormatCounts(counts)
}

// NotDeletedText says that objects, which something waits for, still exist.
func NotDeletedText(objects []stuck.Object) string {
	if len(objects) == 1 {
		return objects[0].Ref() + " is not deleted yet"
	}
	return CountByType(objects) + " are not deleted yet"
}

// maxCountedTypes is how many types a text counts by name: a namespace may have objects of hundreds.
const maxCountedTypes = 10

// FormatCounts says the same from counts, the largest first.
func FormatCounts(counts map[cluster.TypeName]int) string {
	kinds := slices.SortedFunc(maps.Keys(counts), func(a, b cluster.TypeName) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(a.Plural, b.Plural))
	})
	var parts []string
	for i, k := range kinds {
		if others := len(kinds) - i; i == maxCountedTypes && others > 1 {
			n := 0
			for _, other := range kinds[i:] {
				n += counts[other]
			}
			return fmt.Sprintf("%s and %d objects of %d other types", strings.Join(parts, ", "), n, others)
		}
		name := k.Plural
		if counts[k] == 1 {
			name = k.Singular
		}
		parts = append(parts, fmt.Sprintf("%d %s", counts[k], name))
	}
	return strings.Join(parts, ", ")
}

// Elapsed is how long ago something happened, to the second.
func Elapsed(view *cluster.View, t time.Time) time.Duration { return view.Now().Sub(t) }
