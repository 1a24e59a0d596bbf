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
func ago(see *cluster.View, t time.Time) string { return lasting(see, t) + " ago" }

// lasting is how long something has been so: "3h12m".
func lasting(see *cluster.View, t time.Time) string { return duration.HumanDuration(since(see, t)) }

// tally is how many objects of which types there are: one by its name, more by
// their numbers: "500 widgets.example.com, 2 pods".
func tally(objects []stuck.Object) string {
	if len(objects) == 1 {
		return objects[0].Ref()
	}
	counts := map[cluster.Kind]int{}
	for _, o := range objects {
		counts[cluster.KindOf(o.Type)]++
	}
	return tallyKinds(counts)
}

// tallyKinds says the same from counts, the largest first.
func tallyKinds(counts map[cluster.Kind]int) string {
	kinds := slices.SortedFunc(maps.Keys(counts), func(a, b cluster.Kind) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(a.Many, b.Many))
	})
	var parts []string
	for _, k := range kinds {
		name := k.Many
		if counts[k] == 1 {
			name = k.One
		}
		parts = append(parts, fmt.Sprintf("%d %s", counts[k], name))
	}
	return strings.Join(parts, ", ")
}

// command is a kubectl command on a namespaced or cluster-scoped thing.
func command(namespace, format string, args ...any) string {
	kubectl := "kubectl "
	if namespace != "" {
		kubectl += "-n " + namespace + " "
	}
	return kubectl + fmt.Sprintf(format, args...)
}
