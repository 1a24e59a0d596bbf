package cause

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

// ago is a past moment as a person would say it: "3h12m ago".
func ago(view *cluster.View, t time.Time) string { return elapsedText(view, t) + " ago" }

// elapsedText is how long something has been so: "3h12m".
func elapsedText(view *cluster.View, t time.Time) string {
	return duration.HumanDuration(elapsed(view, t))
}

// countByType is how many objects of which types there are: one by its name, more by
// their numbers: "500 widgets.example.com, 2 pods".
func countByType(objects []stuck.Object) string {
	if len(objects) == 1 {
		return objects[0].Ref()
	}
	counts := map[cluster.TypeName]int{}
	for _, o := range objects {
		counts[cluster.TypeNameOf(o.Type)]++
	}
	return formatCounts(counts)
}

// formatCounts says the same from counts, the largest first.
func formatCounts(counts map[cluster.TypeName]int) string {
	kinds := slices.SortedFunc(maps.Keys(counts), func(a, b cluster.TypeName) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(a.Plural, b.Plural))
	})
	var parts []string
	for _, k := range kinds {
		name := k.Plural
		if counts[k] == 1 {
			name = k.Singular
		}
		parts = append(parts, fmt.Sprintf("%d %s", counts[k], name))
	}
	return strings.Join(parts, ", ")
}

// kubectlCommand is a kubectl command on a namespaced or cluster-scoped thing.
func kubectlCommand(namespace, format string, args ...any) string {
	kubectl := "kubectl "
	if namespace != "" {
		kubectl += "-n " + namespace + " "
	}
	return kubectl + fmt.Sprintf(format, args...)
}
