package diagnose

import (
	"context"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var (
	rejectionCauses        = idsOfCauses(func(c kit.Cause) bool { return c.RejectsUpdates })
	controllerAbsentCauses = idsOfCauses(func(c kit.Cause) bool { return c.ControllerAbsent })
)

func idsOfCauses(are func(kit.Cause) bool) []string {
	var out []string
	for _, c := range Causes() {
		if are(c) {
			out = append(out, c.ID)
		}
	}
	return out
}

// absentBehindRejections are the controllers that are absent of the finalizers that only a rejection explains, and the
// documents of all their controllers: one that runs is known too.
func absentBehindRejections(ctx context.Context, view *cluster.View, controllers *controllers, o stuck.Object, findings []stuck.Finding) (absent []stuck.Finding, document []stuck.Controller) {
	rejections := rejectionsIn(findings)
	for _, finalizer := range rejectedFinalizers(findings) {
		result := controllers.resultFor(ctx, view, o, finalizer)
		absent, document = append(absent, absentControllers(result.findings, rejections)...), append(document, result.document...)
	}
	return absent, document
}

// rejectedFinalizers are the finalizers that are explained by nothing but that updates
// of the object are rejected: their controllers are looked at all the same.
func rejectedFinalizers(findings []stuck.Finding) []string {
	var out []string
	seen, explaining := map[string]bool{}, stuck.FindingsByFinalizer(findings)
	for _, f := range rejectionsIn(findings) {
		for _, name := range f.Explains {
			if !seen[name] && !slices.ContainsFunc(explaining[name], func(g *stuck.Finding) bool { return !slices.Contains(rejectionCauses, g.Cause) }) {
				out = append(out, name)
			}
			seen[name] = true
		}
	}
	return out
}

// rejectionsIn are the findings that updates of the object are rejected.
func rejectionsIn(findings []stuck.Finding) []*stuck.Finding {
	var out []*stuck.Finding
	for i, f := range findings {
		if slices.Contains(rejectionCauses, f.Cause) {
			out = append(out, &findings[i])
		}
	}
	return out
}

// absentControllers are those findings about the controller of a finalizer that hold
// beside a rejection. What a controller that runs complains of while its updates
// are rejected is the rejection. A rejection that explains the same finalizer alone
// leaves behind what the controller would have cleaned up, whose cost is known
// better.
func absentControllers(controller []stuck.Finding, rejections []*stuck.Finding) []stuck.Finding {
	var out []stuck.Finding
	for _, f := range controller {
		if !slices.Contains(controllerAbsentCauses, f.Cause) {
			continue
		}
		shareCost(f, rejections)
		out = append(out, f)
	}
	return out
}

func shareCost(absent stuck.Finding, rejections []*stuck.Finding) {
	for _, f := range rejections {
		if slices.Equal(f.Explains, absent.Explains) {
			f.OnForce = absent.OnForce.WithNote("; until this is fixed, a forced removal is rejected too")
			return
		}
	}
}
