package preflight

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// foresight is what the deletion removes that other objects need to be deleted.
type foresight struct {
	present, later *cluster.View
	after          *after
	rejections     []rejection
	deleted        *deleted
	// stopped are the workloads that are deleted.
	stopped []cluster.Workload
}

// Present is a view of the cluster as it is.
func (f *foresight) Present() *cluster.View { return f.present }

// Find returns the rejections that the object meets: of its own deletion, of that of its
// content, and of updates once the webhooks have lost what is behind them. It also returns what the
// API server says of a claim that is not being deleted.
func (f *foresight) Find(o stuck.Object) []stuck.Finding {
	var out []stuck.Finding
	for _, r := range f.rejections {
		if r.object.UID == o.UID || o.IsNamespace() && r.object.Namespace == o.Name {
			out = append(out, f.rejectionFinding(o, r))
		}
	}
	if o.IsNamespace() {
		out = append(out, f.lostAPIServices()...)
	}
	return slices.Concat(out, f.lostWebhooks(o), f.claimInUse(o))
}

// rejectionFinding is a deletion that a dry run has shown to be rejected.
func (f *foresight) rejectionFinding(o stuck.Object, r rejection) stuck.Finding {
	finding := stuck.Finding{
		Cause: cause.DeleteDenied.ID, Certainty: stuck.Confirmed, Verdict: stuck.Blocked, Explains: o.AllFinalizers(),
		Evidence: []string{fmt.Sprintf("dry run of the deletion of %s is rejected: %s", r.object.RefInNamespace(), r.Message)},
	}
	if !f.deleted.isSelected(r.object) { // another user deletes it: the namespace controller, or the garbage collector
		finding.Certainty = stuck.Likely
	}
	hooks := backend.WebhooksNamedInRejection(f.present, &r.Rejection).Items
	switch {
	case r.By == apitext.PolicyDenied:
		finding.BlockedBy = stuck.Culprit{Kind: r.PolicyKind, Name: r.Name}
		finding.Message = fmt.Sprintf("%s/%s denies deletion of %s", strings.ToLower(r.PolicyKind), r.Name, r.object.Ref())
		finding.Steps = []stuck.Step{{Action: stuck.ActionCheck, Description: "see the policy, and do what the message asks for", Command: stuck.Shellf("kubectl get %s %s -o yaml", strings.ToLower(r.PolicyKind), r.Name)}}
	case len(hooks) != 1:
		finding.BlockedBy, finding.Message = stuck.Culprit{Kind: "Webhook", Name: r.Name}, fmt.Sprintf("webhook %s rejects deletion of %s", r.Name, r.object.Ref())
		if r.By == apitext.ValidationFailed {
			finding.BlockedBy, finding.Message = r.object.Culprit(), "the API server rejects deletion of "+r.object.Ref()
		}
	default:
		hook := hooks[0]
		finding.BlockedBy = stuck.Culprit{Kind: hook.ConfigurationType.Kind, Name: hook.ConfigurationName}
		finding.Message = fmt.Sprintf("webhook %s denies deletion of %s (%s)", hook.Name, r.object.Ref(), hook.ConfigurationRef)
		if r.By == apitext.WebhookFailed {
			failure := backend.WebhookFailureText(r.Message)
			finding.Cause = cause.DeleteWebhookDown.ID
			finding.Message = fmt.Sprintf("webhook %s %s and rejects deletion of %s (%s)", hook.Name, failure, r.object.Ref(), hook.ConfigurationRef)
			if hook.Service != nil {
				finding.Evidence = append(finding.Evidence, backend.ServiceProblems(f.present, *hook.Service)...)
			}
			finding.Steps = backend.WebhookRepairSteps(f.present, hook, failure == backend.WebhookUntrusted)
		}
		finding.Steps = append(finding.Steps, backend.DeleteConfigurationStep(hook, "only if its software is not needed"))
	}
	return finding
}

// FindLost returns a finding if what is known to be the controller is deleted too, or its
// ServiceAccount, or what gives it its permissions.
func (f *foresight) FindLost(c controller.Controller) []stuck.Finding {
	if len(c.Candidates) == 0 || slices.ContainsFunc(c.Candidates, func(w controller.Candidate) bool { return !f.isLost(w, c) }) {
		return nil
	}
	w := c.Candidates[0]
	out := stuck.Finding{
		Cause: cause.ControllerGone.ID, BlockedBy: w.Culprit(), Certainty: stuck.Likely, Verdict: stuck.Blocked,
		Message:  fmt.Sprintf("%s, the controller of %s, is deleted too", w.RefInNamespace(), c.Finalizer),
		Evidence: c.ClueTexts(w), Steps: []stuck.Step{OrderStep},
	}
	if f.after.stops(w.UID) {
		if f.deleted.namespaces[w.Namespace] && w.Namespace == c.Object.Namespace {
			out.Cause = cause.ControllerDeletedWithNamespace.ID
		}
		return []stuck.Finding{out}
	}
	out.Cause = cause.ControllerLostPermissions.ID
	if f.losesAccount(w) {
		out.BlockedBy = stuck.Culprit{Kind: "ServiceAccount", Namespace: w.Namespace, Name: w.ServiceAccountName()}
		out.Message = fmt.Sprintf("%s, which %s runs as, is deleted too", stuck.RefInNamespace("serviceaccount", w.ServiceAccountName(), w.Namespace), w.RefInNamespace())
		return []stuck.Finding{out}
	}
	missing, _ := controller.MissingVerbs(f.later, w.Workload, c)
	out.Message = fmt.Sprintf("what gives %s its permissions on %s is deleted too", w.RefInNamespace(), c.Object.TypeInNamespace())
	out.Evidence = slices.Concat([]string{fmt.Sprintf("without it, no role allows %s to %s %s",
		stuck.RefInNamespace("serviceaccount", w.ServiceAccountName(), w.Namespace), strings.Join(missing, ", "), c.Object.TypeInNamespace())}, c.ClueTexts(w))
	return []stuck.Finding{out}
}

// isLost reports whether a controller that can work now cannot after the deletion.
func (f *foresight) isLost(w controller.Candidate, c controller.Controller) bool {
	if f.after.stops(w.UID) || f.losesAccount(w) {
		return true
	}
	now, known := controller.MissingVerbs(f.present, w.Workload, c)
	later, laterKnown := controller.MissingVerbs(f.later, w.Workload, c)
	return known && laterKnown && len(now) == 0 && len(later) > 0 && !w.ServesType
}

// losesAccount reports whether the ServiceAccount of a workload is deleted. kube-controller-manager
// recreates those named default (kubernetes/pkg/controller/serviceaccount/serviceaccounts_controller.go).
func (f *foresight) losesAccount(w controller.Candidate) bool {
	if w.ServiceAccountName() == "default" && !f.deleted.namespaces[w.Namespace] {
		return false
	}
	return f.present.Metadata(cluster.ServiceAccountType, w.Namespace, w.ServiceAccountName()).Found() &&
		f.later.Metadata(cluster.ServiceAccountType, w.Namespace, w.ServiceAccountName()).Absent()
}

// FindWorking returns what is expected to remove a finalizer: a part of Kubernetes, or a
// controller that runs and is not deleted. That it watches a type which is too new to tell is a gap.
func (f *foresight) FindWorking(c controller.Controller) []stuck.Finding {
	finding := stuck.Finding{Cause: cause.ControllerProgressing.ID, BlockedBy: c.Object.Culprit(), Certainty: stuck.Likely, Verdict: stuck.Progressing}
	switch remover := c.NonWorkloadRemover(); remover {
	case catalog.RemovedByAPIServer, catalog.RemovedByControllerManager, catalog.RemovedByScheduler, catalog.RemovedByKubelet:
		finding.Message = fmt.Sprintf("%s removes %s", remover.Text(), c.Finalizer)
		return []stuck.Finding{finding}
	case "":
	default:
		if !f.cloudControllerRuns(c.Finalizer) {
			return nil
		}
		finding.Message = "cloud-controller-manager removes " + c.Finalizer
		return []stuck.Finding{finding}
	}
	running := controller.RunningCandidates(f.present, c)
	if len(running) == 0 || slices.ContainsFunc(c.Candidates, func(w controller.Candidate) bool { return f.isLost(w, c) }) {
		return nil
	}
	if reason := controller.TooNewToTell(f.present, c.Object.Type); reason != "" {
		f.present.AddGaps(stuck.Gap{Source: "watches on " + c.Object.Type.String(), Error: reason})
	}
	finding.BlockedBy, finding.Message = running[0].Culprit(), fmt.Sprintf("%s runs, and removes %s", running[0].RefInNamespace(), c.Finalizer)
	return []stuck.Finding{finding}
}

// stoppedWorkloads are the workloads that are deleted.
func stoppedWorkloads(present *cluster.View, d *deleted, a *after) []cluster.Workload {
	var out []cluster.Workload
	read := map[string]bool{}
	for _, o := range d.all {
		if o.Type.Group != "apps" || read[o.Namespace] {
			continue
		}
		read[o.Namespace] = true
		for _, w := range present.Workloads(o.Namespace).Items {
			if d.uids[w.UID] && a.stops(w.UID) {
				out = append(out, w)
			}
		}
	}
	return out
}
