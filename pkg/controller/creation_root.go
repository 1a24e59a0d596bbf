package controller

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// quotaExceeded is how the API server rejects a Pod for a ResourceQuota
// (k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go).
var quotaExceeded = regexp.MustCompile(`exceeded quota: ([a-z0-9.-]+)(?:, requested: ([^ ]+),)?`)

// missingServiceAccount is how it rejects a Pod whose account does not exist
// (kubernetes/plugin/pkg/admission/serviceaccount/admission.go).
var missingServiceAccount = regexp.MustCompile(`error looking up service account [^/]+/([a-z0-9.-]+): serviceaccount "[^"]+" not found`)

// podSecurity is how it rejects a Pod that the level of its namespace does not admit
// (k8s.io/pod-security-admission/admission/admission.go).
var podSecurity = regexp.MustCompile(`violates PodSecurity ("[a-z]+:[a-z0-9.]+")`)

// creationFailure is why the Pods of a workload, which has none, cannot be created, and a line that says so. Of the
// three types only a Deployment has a condition for it: of the others, it is in their events
// (kubernetes/pkg/controller/statefulset/stateful_pod_control.go, kubernetes/pkg/controller/controller_utils.go).
func creationFailure(view *cluster.View, w cluster.Workload) (message, line string) {
	if w.ReplicaFailure != "" || w.Type.Kind == cluster.DeploymentType.Kind {
		return w.ReplicaFailure, w.Ref() + " cannot create pods: " + w.ReplicaFailure
	}
	var last time.Time
	for _, e := range view.Events(stuck.Object{Namespace: w.Namespace, UID: w.UID}).Items {
		if at := cluster.LastEventTime(e); e.Reason == "FailedCreate" && e.Type == corev1.EventTypeWarning && (message == "" || at.After(last)) {
			last, message = at, apitext.OneLine(e.Message)
		}
	}
	return message, w.Ref() + " could not create pods" + agoText(view, last) + ": " + message
}

// creationRoot is what is behind a workload whose Pods cannot be created, by what the API
// server answers.
func creationRoot(view *cluster.View, w cluster.Workload, failure string) Root {
	if root := namespaceRoot(view, w); root.Text != "" {
		return root
	}
	if r, ok := apitext.QuotedRejection(failure); ok {
		return rejectionRoot(view, r)
	}
	if m := quotaExceeded.FindStringSubmatch(failure); m != nil {
		return quotaRoot(view, w, m[1], m[2])
	}
	if m := missingServiceAccount.FindStringSubmatch(failure); m != nil {
		return serviceAccountRoot(view, w, m[1])
	}
	if m := podSecurity.FindStringSubmatch(failure); m != nil {
		return Root{
			Text:  "its pods violate PodSecurity " + m[1],
			Steps: []stuck.Step{{Action: stuck.ActionCheck, Description: "see which level of Pod Security namespace " + w.Namespace + " enforces", Command: stuck.Shellf("kubectl get namespace %s --show-labels", w.Namespace)}},
		}
	}
	return Root{}
}

// quotaRoot is a ResourceQuota for which Pods were rejected. What the workload reports may be long past: the quota is read.
func quotaRoot(view *cluster.View, w cluster.Workload, name, requested string) Root {
	root := objectRoot("ResourceQuota", w.Namespace, name, "is exceeded")
	quota := cluster.ReadSimilar[corev1.ResourceQuota](view, cluster.ResourceQuotaType, w.Namespace, name)
	switch {
	case quota.Absent():
		return outdatedRoot(w, root.Culprit.String()+" was exceeded", root.Culprit.String()+" does not exist any more")
	case quota.Found() && fitsQuota(*quota.Value, requested):
		return outdatedRoot(w, root.Culprit.String()+" was exceeded", root.Culprit.String()+" has room now for "+requested)
	}
	root.Steps = []stuck.Step{{Action: stuck.ActionCheck, Description: "see what uses up the quota: raise it, or delete pods that are not needed", Command: stuck.Kubectlf(w.Namespace, "describe resourcequota %s", name)}}
	return root
}

// fitsQuota reports whether a quota has room for what was requested of it: "pods=1,requests.cpu=2". What the quota does not limit,
// or what cannot be read, is no room.
func fitsQuota(quota corev1.ResourceQuota, requested string) bool {
	if requested == "" {
		return false
	}
	for _, each := range strings.Split(requested, ",") {
		name, amount, _ := strings.Cut(each, "=")
		more, err := resource.ParseQuantity(amount)
		hard, limited := quota.Spec.Hard[corev1.ResourceName(name)]
		used, counted := quota.Status.Used[corev1.ResourceName(name)]
		if err != nil || limited && !counted {
			return false
		}
		if used.Add(more); limited && used.Cmp(hard) > 0 {
			return false
		}
	}
	return true
}

// serviceAccountRoot is a ServiceAccount without which Pods were rejected, which may exist by now.
func serviceAccountRoot(view *cluster.View, w cluster.Workload, name string) Root {
	root := objectRoot("ServiceAccount", w.Namespace, name, "does not exist")
	account := view.Metadata(cluster.ServiceAccountType, w.Namespace, name)
	if account.Found() && account.Value.DeletionTimestamp == nil {
		return outdatedRoot(w, root.Culprit.String()+" did not exist", root.Culprit.String()+" exists now: created"+agoText(view, account.Value.CreationTimestamp.Time))
	}
	root.Steps = []stuck.Step{{Action: stuck.ActionChange, Description: "recreate the ServiceAccount; its roles and bindings may be missing too", Command: stuck.Kubectlf(w.Namespace, "create serviceaccount %s", name)}}
	return root
}

// outdatedRoot is what was behind a workload, and no longer is: its Pods are created at the next attempt. The delay between two
// grows to 1000s (DefaultTypedControllerRateLimiter in k8s.io/client-go/util/workqueue/default_rate_limiters.go).
func outdatedRoot(w cluster.Workload, was, now string) Root {
	return Root{
		Text:     "its pods were rejected while " + was,
		Evidence: []string{now, "kube-controller-manager tries again to create the pods, at most 17m after it last tried"},
		Steps:    []stuck.Step{{Action: stuck.ActionChange, Description: "wait for the next attempt, or let pods be created now", Command: stuck.Kubectlf(w.Namespace, "rollout restart %s", w.Ref())}},
	}
}

// rejectionRoot is a webhook or a policy that rejects the Pods of a workload.
func rejectionRoot(view *cluster.View, r apitext.Rejection) Root {
	if r.By == apitext.PolicyDenied {
		return objectRoot(r.PolicyKind, "", r.Name, "denies its pods")
	}
	hooks := backend.WebhooksNamedInRejection(view, &r)
	if !hooks.Complete || len(hooks.Items) != 1 {
		return Root{Text: "webhook " + stuck.EscapeLine(r.Name) + " rejects its pods"}
	}
	hook := hooks.Items[0]
	out := Root{
		Text:    fmt.Sprintf("webhook %s rejects its pods", hook.Name),
		Culprit: &stuck.Culprit{Kind: hook.ConfigurationType.Kind, Name: hook.ConfigurationName},
	}
	if r.By == apitext.WebhookFailed {
		if hook.Service != nil {
			out.Evidence = backend.ServiceProblems(view, *hook.Service)
		}
		out.Steps = append(backend.WebhookRepairSteps(view, hook, false), backend.WebhookBypassSteps(hook)...)
	}
	return out
}

// namespaceRoot is the namespace of a workload if that is being deleted: nothing can be
// created in it.
func namespaceRoot(view *cluster.View, w cluster.Workload) Root {
	ns := view.Namespace(w.Namespace)
	if !ns.Found() || ns.Value.DeletionTimestamp == nil {
		return Root{}
	}
	root := objectRoot("Namespace", "", w.Namespace, "is being deleted")
	root.Evidence = []string{"nothing can be created in namespace/" + w.Namespace + " while it is being deleted"}
	root.Steps = []stuck.Step{{
		Action: stuck.ActionChange, Description: "install " + w.Ref() + " in the same version in another namespace, if it is still needed",
	}, {
		Action: stuck.ActionCheck, Description: "see what namespace/" + w.Namespace + " waits for", Command: stuck.Shellf("kubectl finalizers explain namespace/%s", w.Namespace),
	}}
	return root
}
