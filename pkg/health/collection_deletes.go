package health

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// minCollectionTimeouts is how often deleting a collection must have timed out: an API server or an
// etcd that was overloaded for a moment is no matter of one type.
const minCollectionTimeouts = 3

// slowCollectionDeletes are the warnings for types of which a namespace holds too many objects to
// be deleted in one request, as the namespace controller deletes them (deleteCollection in
// kubernetes/pkg/controller/namespace/deletion/namespaced_resources_deleter.go). The API server
// ends a request after --request-timeout, 60 seconds by default.
func (c *checker) slowCollectionDeletes(m cluster.Metrics) []stuck.Problem {
	var out []stuck.Problem
	for _, gr := range slices.SortedFunc(maps.Keys(m.CollectionDeletes), func(a, b schema.GroupResource) int { return cmp.Compare(a.String(), b.String()) }) {
		deletes := m.CollectionDeletes[gr]
		if deletes.Timeouts < minCollectionTimeouts || !c.includesType(gr.Group, gr.Resource) {
			continue
		}
		name := gr.String()
		problem := stuck.Problem{
			State: stuck.Warning, Reason: "collection-delete-times-out", Subject: typeSubject(name),
			Message: fmt.Sprintf("deleting all %s of a namespace in one request timed out", name),
			Evidence: []string{fmt.Sprintf("%d of %s ended with 504 since the API server started%s", deletes.Timeouts,
				stuck.Count(deletes.Requests, "DELETECOLLECTION request"), c.upSince(m))},
			Impact: []string{"a namespace with so many of them is deleted late: the namespace controller repeats the request, and what it deleted before the timeout stays deleted; the count does not say whether it happens now"},
			Steps: []stuck.Step{
				{Action: stuck.ActionCheck, Description: "which namespaces have most of them?", Command: stuck.Shellf("kubectl get %s -A --no-headers -o custom-columns=:metadata.namespace | sort | uniq -c | sort -n | tail", name)},
				{Action: stuck.ActionChange, Description: "before the namespace, delete them with kubectl delete --all, which sends a request for each object"},
			},
		}
		for _, l := range c.lists {
			if l.Type.GVR().GroupResource() == gr && l.First != nil {
				problem.Evidence = append(problem.Evidence, fmt.Sprintf("there are %d %s now", l.objectCount(), name))
			}
		}
		out = append(out, problem)
	}
	return out
}

// upSince says how long ago an API server started, nothing where it does not tell.
func (c *checker) upSince(m cluster.Metrics) string {
	if m.Started.IsZero() {
		return ""
	}
	return " " + duration.HumanDuration(c.view.Now().Sub(m.Started)) + " ago"
}
