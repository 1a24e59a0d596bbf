package diagnose

import (
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// rejectionCauses are the causes that reject every update of an object.
var rejectionCauses = []string{
	cause.WriteWebhookDown.ID, cause.WriteDeniedByWebhook.ID, cause.WriteDeniedByPolicy.ID, cause.WriteDeniedWithoutParams.ID,
	cause.WriteRejectedBySchema.ID, cause.WriteMadeInvalid.ID,
}

// controllerAbsentCauses are the causes that keep a finalizer when updates are accepted again: nobody
// is there to remove it.
var controllerAbsentCauses = []string{
	cause.ControllerGone.ID, cause.ControllerScaledToZero.ID, cause.ControllerCannotStart.ID, cause.ControllerCrashLooping.ID, cause.ControllerDeletedWithNamespace.ID,
	cause.ControllerLeaseExpired.ID, cause.ControllerLostPermissions.ID,
}

// absentBehindRejections are the controllers that are absent of the finalizers that only a rejection explains.
func absentBehindRejections(view *cluster.View, controllers *controllers, o stuck.Object, findings []stuck.Finding) (absent []stuck.Finding, document []stuck.Controller) {
	for _, finalizer := range rejectedFinalizers(findings) {
		result := controllers.resultFor(view, o, finalizer)
		if found := absentControllers(result.findings, findings); len(found) > 0 {
			absent, document = append(absent, found...), append(document, result.document...)
		}
	}
	return absent, document
}

// rejectedFinalizers are the finalizers that are explained by nothing but that updates
// of the object are rejected: their controllers are looked at all the same.
func rejectedFinalizers(findings []stuck.Finding) []string {
	var out []string
	for _, f := range findings {
		if !slices.Contains(rejectionCauses, f.Cause) {
			continue
		}
		for _, name := range f.Explains {
			other := slices.ContainsFunc(findings, func(g stuck.Finding) bool {
				return !slices.Contains(rejectionCauses, g.Cause) && slices.Contains(g.Explains, name)
			})
			if !other && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// absentControllers are those findings about the controller of a finalizer that hold
// beside a rejection. What a controller that runs complains of while its updates
// are rejected is the rejection. A rejection that explains the same finalizer alone
// leaves behind what the controller would have cleaned up, whose cost is known
// better.
func absentControllers(controller, others []stuck.Finding) []stuck.Finding {
	var out []stuck.Finding
	for _, f := range controller {
		if !slices.Contains(controllerAbsentCauses, f.Cause) {
			continue
		}
		shareCost(f, others)
		out = append(out, f)
	}
	return out
}

func shareCost(absent stuck.Finding, others []stuck.Finding) {
	for i, f := range others {
		if slices.Contains(rejectionCauses, f.Cause) && slices.Equal(f.Explains, absent.Explains) {
			others[i].OnForce = absent.OnForce.WithNote("; until this is fixed, a forced removal is rejected too")
			return
		}
	}
}
