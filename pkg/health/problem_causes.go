package health

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// faultCauses are the causes that explain names for a controller with a fault: both judge it by
// controller.CheckHealth.
func faultCauses(fault controller.Fault) []string {
	switch fault {
	case controller.FaultScaledToZero:
		return []string{cause.ControllerScaledToZero.ID}
	case controller.FaultCrashLooping:
		return []string{cause.ControllerCrashLooping.ID}
	case controller.FaultCannotStart:
		return []string{cause.ControllerCannotStart.ID}
	case controller.FaultNotReady:
		return []string{cause.ControllerNotReady.ID}
	}
	return nil
}

// listFailureCauses are the causes that explain names for namespaces with such a list: both
// recognize the error in the same way.
func (c *checker) listFailureCauses(t stuck.Type, err error) []string {
	if conversion, ok := apitext.ParseConversionFailure(err); ok {
		if conversion.Refused {
			return []string{cause.CRDConversionRefused.ID}
		}
		return []string{cause.CRDConversionWebhookDown.ID}
	}
	failure := cluster.ListFailure{Type: t, Err: err}
	if _, ok := kit.RemovedVersionFinding(c.view, failure); ok {
		return []string{cause.CRDVersionRemoved.ID}
	}
	if _, ok := kit.Unreadable(failure); ok {
		return []string{cause.ObjectUnreadable.ID}
	}
	if _, ok := kit.ExtensionServerFinding(c.view, failure); ok {
		return []string{cause.APIServiceListFails.ID}
	}
	return nil
}
