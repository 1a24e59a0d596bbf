package cause

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ControllerCannotStart is a controller whose Pods do not start.
var ControllerCannotStart = kit.Cause{
	ID:    "controller-cannot-start",
	Title: "The controller of a finalizer cannot start",
	Doc: kit.Doc{
		Symptoms: "The pods of the controller are Pending, cannot pull their image, or cannot be created.",
		Why:      "No node has room for the pod, its image does not exist, a quota is exceeded, its ServiceAccount, ConfigMap or Secret does not exist, the Pod Security level of its namespace does not admit the pod, or its namespace is being deleted. A Deployment reports the rejection of its pods until they are created, at most 17 minutes later: the quota and the ServiceAccount are read before they are blamed.",
		Fix:      "Fix the error that prevents the pod from starting: the evidence quotes the error.",
		IfForced: "The cleanup by the controller is skipped: the resources that the controller would have deleted are left behind.",
	},
	ControllerAbsent: true,
	ByController: func(view *cluster.View, w controller.Controller) []stuck.Finding {
		return kit.FaultFindings(view, w, controller.FaultCannotStart, "cannot start", kit.DescribeSteps)
	},
}
