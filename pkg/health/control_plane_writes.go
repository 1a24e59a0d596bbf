package health

import (
	"fmt"
	"slices"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// eventType are the Events by which controllers report.
var eventType = stuck.Type{Version: "v1", Resource: "events", Kind: "Event", Namespaced: true}

// controlPlaneWrite is something that components write all the time.
type controlPlaneWrite struct {
	// what names the objects in a sentence, stops what stops without them.
	what, stops string
	operation   admissionv1.OperationType
	object      stuck.Object
	// patience is how many seconds the component waits for one request: a webhook that is
	// ignored after as long stops it too. Zero means that it goes on.
	patience int
	// impact is what does not work while a webhook with failurePolicy Fail is unreachable.
	impact string
	// minor says that it is no reason for a warning by itself.
	minor bool
}

// controlPlaneWrites are these, the most important first. kube-controller-manager waits for half of its
// renew deadline, which is 10s by default (NewFromKubeconfig in
// k8s.io/client-go/tools/leaderelection/resourcelock/interface.go), the kubelet for 10s (heartbeatClientConfig in
// kubernetes/cmd/kubelet/app/server.go).
var controlPlaneWrites = []controlPlaneWrite{
	{
		what: "updates of Leases in kube-system", stops: "can stop kube-controller-manager", operation: admissionv1.Update, patience: 5,
		object: stuck.Object{Type: cluster.LeaseType, Namespace: metav1.NamespaceSystem, Name: "kube-controller-manager"},
		impact: "while it is unreachable, no controller that leads by a Lease can renew it, and kube-controller-manager exits (failurePolicy Fail)",
	},
	{
		what: "updates of the Leases of nodes", stops: "can make nodes NotReady", operation: admissionv1.Update, patience: 10,
		object: stuck.Object{Type: cluster.LeaseType, Namespace: "kube-node-lease"},
		impact: "while it is unreachable, kubelets cannot renew the Leases of their nodes, which become NotReady, and their pods are evicted (failurePolicy Fail)",
	},
	{
		what: "updates of EndpointSlices in kube-system", stops: "can cut off Services", operation: admissionv1.Update,
		object: stuck.Object{Type: endpointSliceType, Namespace: metav1.NamespaceSystem},
		impact: "while it is unreachable, Services do not follow their pods (failurePolicy Fail)",
	},
	{
		what: "creation of Events in kube-system", operation: admissionv1.Create, minor: true,
		object: stuck.Object{Type: eventType, Namespace: metav1.NamespaceSystem},
		impact: "while it is unreachable, the events of controllers are lost (failurePolicy Fail)",
	},
}

// controlPlaneRisk is what a group of webhooks can stop.
type controlPlaneRisk struct {
	group  webhookGroup
	hooks  []backend.Webhook
	writes []controlPlaneWrite
}

// addControlPlaneWrites adds what a webhook is called for, and reports whether that could not be read.
// One that selects objects by matchConditions may leave these out, and one that selects objects other
// than the Lease of kube-controller-manager by their labels.
func (c *checker) addControlPlaneWrites(r *controlPlaneRisk, h backend.Webhook) (incomplete bool) {
	for _, w := range controlPlaneWrites {
		if len(h.MatchConditions) > 0 || w.object.Name == "" && !backend.SelectsAllObjects(h) || h.IgnoresFailure && (w.patience == 0 || h.TimeoutSeconds < w.patience) {
			continue
		}
		matches, known := backend.MatchesRequest(c.view, h, w.operation, w.object)
		incomplete = incomplete || !known
		if !matches {
			continue
		}
		if !slices.ContainsFunc(r.hooks, func(other backend.Webhook) bool {
			return other.Name == h.Name && other.ConfigurationRef == h.ConfigurationRef
		}) {
			r.hooks = append(r.hooks, h)
		}
		if !slices.ContainsFunc(r.writes, func(other controlPlaneWrite) bool { return other.what == w.what }) {
			r.writes = append(r.writes, w)
		}
	}
	return incomplete
}

func (r controlPlaneRisk) problem() (stuck.Problem, bool) {
	if !slices.ContainsFunc(r.writes, func(w controlPlaneWrite) bool { return !w.minor }) {
		return stuck.Problem{}, false
	}
	var called, impact []string
	for _, w := range controlPlaneWrites { // in order
		if !slices.ContainsFunc(r.writes, func(other controlPlaneWrite) bool { return other.what == w.what }) {
			continue
		}
		called = append(called, w.what)
		if h := r.hooks[0]; h.IgnoresFailure {
			impact = append(impact, fmt.Sprintf("when it does not respond, each of the %s waits %ds (timeoutSeconds); their client waits %ds, and then fails", w.what, h.TimeoutSeconds, w.patience))
		} else {
			impact = append(impact, w.impact)
		}
	}
	first := controlPlaneWrites[slices.IndexFunc(controlPlaneWrites, func(w controlPlaneWrite) bool { return w.what == called[0] })]
	return stuck.Problem{
		State: stuck.Warning, Reason: "webhook-called-for-control-plane", Subject: configurationSubject(r.hooks[0]),
		Message:  fmt.Sprintf("%s %s: it is called for %s", r.group, first.stops, first.what),
		Evidence: append([]string{fmt.Sprintf("%s: called for %s", webhookNames(r.hooks), joinFirst(called))}, calledFor(r.hooks)...),
		Impact:   impact,
		Steps:    []stuck.Step{excludeStep(r.hooks[0], "exclude kube-system and kube-node-lease by a namespaceSelector, or these types from its rules")},
	}, true
}
