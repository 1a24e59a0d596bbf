package cause

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// slowListTime is how much longer than the API server an extension server takes for a list where it
// delays the namespace controller.
const slowListTime = time.Second

// slowServer is an extension server that responds slowly.
type slowServer struct {
	api cluster.APIService
	// types are those that the namespace controller deletes in each namespace.
	types []stuck.Type
	// listed is the one of which a list took so long, and builtIn how long a list of the API server's own took.
	listed        stuck.Type
	took, builtIn time.Duration
}

// syncTime is how long the namespace controller waits for the server in each namespace, if a deletion takes as long as
// a list: it deletes and then lists each type, one after the other (deleteAllContent in
// kubernetes/pkg/controller/namespace/deletion/namespaced_resources_deleter.go).
func (s slowServer) syncTime() time.Duration { return time.Duration(2*len(s.types)) * s.took }

// readSlowServers measures the extension servers whose objects a namespace may hold, the slowest first; known is false where
// one could not be measured. It measures in one namespace for all: a server that is slow delays each of them. One that is
// not available is a cause of its own.
func readSlowServers(view *cluster.View) (slow []slowServer, known bool) {
	apis := view.APIServices()
	known = apis.Complete
	for _, api := range apis.Items {
		available, ok := api.AvailableCondition()
		types := view.DeletedWithNamespaces(cluster.GroupVersion{Group: api.Spec.Group, Version: api.Spec.Version})
		if api.Spec.Service == nil || len(types) == 0 || !ok || available.Status != "True" {
			continue
		}
		builtIn, measured := view.ListTime(cluster.ConfigMapType, metav1.NamespaceDefault)
		known = known && measured
		for _, t := range types {
			took, measured := view.ListTime(t, metav1.NamespaceDefault)
			known = known && measured
			if measured && took >= builtIn+slowListTime {
				slow = append(slow, slowServer{api, types, t, took, builtIn})
				break
			}
		}
	}
	slices.SortStableFunc(slow, func(a, b slowServer) int { return cmp.Compare(b.syncTime(), a.syncTime()) })
	return slow, known
}

// explainsDelay reports whether the namespace controller, which works on some namespaces at a time, may still wait for slow
// servers in one that was deleted so long ago. A deletion may take longer than a list.
func explainsDelay(slow []slowServer, namespaces int, since time.Duration) bool {
	var eachNamespace time.Duration
	for _, s := range slow {
		eachNamespace += s.syncTime()
	}
	rounds := (namespaces-1)/concurrentNamespaceSyncs + 1
	return since < namespaceConditionDelay+2*time.Duration(rounds)*eachNamespace
}

// waitsForSlowServers is the finding for a namespace that the controller is not done with, since servers that it asks
// respond slowly.
func waitsForSlowServers(view *cluster.View, f stuck.Finding, slow []slowServer) stuck.Finding {
	first := slow[0]
	f.Message = fmt.Sprintf("the namespace controller waits for the server of apiservice/%s, which takes %s to list %s",
		first.api.Name, duration.HumanDuration(first.took), first.listed)
	f.BlockedBy, f.Verdict = stuck.Culprit{Kind: "APIService", Name: first.api.Name}, stuck.Progressing
	var steps []stuck.Step
	for _, s := range slow {
		available, _ := s.api.AvailableCondition()
		f.Evidence = append(f.Evidence,
			fmt.Sprintf("a list of one object in namespace %s takes %s for %s, and %s for configmaps",
				metav1.NamespaceDefault, duration.HumanDuration(s.took), s.listed, duration.HumanDuration(s.builtIn)),
			fmt.Sprintf("the controller deletes and lists %s of %s in each namespace: %s, if a deletion takes as long as that list",
				stuck.Count(len(s.types), "type"), cluster.GroupVersion{Group: s.api.Spec.Group, Version: s.api.Spec.Version}, duration.HumanDuration(s.syncTime())),
			fmt.Sprintf("apiservice/%s has been Available for %s, which proves only that the server responds", s.api.Name, kit.ElapsedText(view, available.LastTransitionTime.Time)))
		steps = append(steps, backend.ServiceLogSteps(view, *s.api.Spec.Service, "read in the log of the server why it responds slowly")...)
	}
	f.Steps = append(steps, f.Steps...)
	return f
}
