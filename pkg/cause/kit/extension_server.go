package kit

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ExtensionServerFinding is an extension server that names its types and cannot list
// one of them.
func ExtensionServerFinding(view *cluster.View, failure cluster.ListFailure) (stuck.Finding, bool) {
	// What the API server cannot read in its own storage is not an extension's.
	_, unreadable := apitext.ParseUnreadableError(failure.Err)
	_, unconverted := apitext.ParseConversionFailure(failure.Err)
	if unreadable || unconverted || stuck.IsBuiltInGroup(failure.Type.Group) {
		return stuck.Finding{}, false
	}
	if !apierrors.IsServiceUnavailable(failure.Err) && !apierrors.IsInternalError(failure.Err) {
		return stuck.Finding{}, false
	}
	api := view.APIService(failure.Type.Group, failure.Type.Version)
	if !api.Found() || api.Value.Spec.Service == nil {
		return stuck.Finding{}, false
	}
	service := *api.Value.Spec.Service
	return stuck.Finding{
		Message:   fmt.Sprintf("%s cannot be listed: the server of apiservice/%s fails", failure.Type, api.Value.Name),
		BlockedBy: stuck.Culprit{Kind: "APIService", Name: api.Value.Name},
		Evidence: append([]string{fmt.Sprintf("listing %s fails: %s", failure.Type, apitext.ErrorMessage(failure.Err))},
			backend.ServiceProblems(view, service)...),
		Steps: append([]stuck.Step{backend.DescribeAPIServiceStep(api.Value.Name)}, backend.ServiceRepairSteps(view, service)...),
	}, true
}

// AvailableCondition is the condition of an APIService that says whether it can be
// reached.
func AvailableCondition(api cluster.Answer[cluster.APIService]) (cluster.Condition, bool) {
	if !api.Found() {
		return cluster.Condition{}, false
	}
	return api.Value.AvailableCondition()
}
