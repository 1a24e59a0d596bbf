package cause

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ago is a past moment as a person would say it: "3h12m ago".
func ago(d time.Duration) string { return duration.HumanDuration(d) + " ago" }

// tally is how many objects of which types there are: one by its name, more by
// their numbers: "500 widgets.example.com, 2 pods".
func tally(objects []stuck.Object) string {
	if len(objects) == 1 {
		return objects[0].Ref()
	}
	counts := map[schema.GroupResource]int{}
	for _, o := range objects {
		counts[o.Type.GVR().GroupResource()]++
	}
	return tallyTypes(counts)
}

// tallyTypes says the same from counts, the largest first.
func tallyTypes(counts map[schema.GroupResource]int) string {
	var types []schema.GroupResource
	for t := range counts {
		types = append(types, t)
	}
	slices.SortFunc(types, func(a, b schema.GroupResource) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a.String(), b.String())
	})
	var parts []string
	for _, t := range types {
		parts = append(parts, fmt.Sprintf("%d %s", counts[t], t))
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
