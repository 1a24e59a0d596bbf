package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// controllerKnowledge is what is known of who should remove a finalizer that no cause
// explains: what runs it, or else only the project, or nothing.
type controllerKnowledge struct {
	workloads string
	running   bool
	project   string
}

// knownController is what the controllers of a finalizer say: the workloads of all, or else the first project.
func knownController(controllers []stuck.Controller) controllerKnowledge {
	if workloads := possibleWorkloads(controllers); len(workloads) > 0 {
		return controllerKnowledge{workloads: strings.Join(workloadNames(workloads), " or "), running: len(workloads) == 1 && workloads[0].Running == stuck.Running}
	}
	for _, c := range controllers {
		if c.Project != "" {
			return controllerKnowledge{project: c.Project}
		}
	}
	return controllerKnowledge{}
}

// controllersOf are what is known of the controller of a finalizer: several, where clues do not decide.
func controllersOf(d *stuck.Diagnosis, finalizer string) []stuck.Controller {
	var out []stuck.Controller
	for _, c := range d.Controllers {
		if c.Finalizer == finalizer {
			out = append(out, c)
		}
	}
	return out
}

// possibleWorkloads are the controllers of which a workload is known, each once. Several mean that the clues do not
// decide between them: those that run come first.
func possibleWorkloads(controllers []stuck.Controller) []stuck.Controller {
	var out []stuck.Controller
	for _, c := range controllers {
		if c.Workload != nil && !slices.ContainsFunc(out, func(seen stuck.Controller) bool { return *seen.Workload == *c.Workload }) {
			out = append(out, c)
		}
	}
	running := func(c stuck.Controller) int {
		return map[stuck.RunState]int{stuck.Running: 0, stuck.RunStateUnknown: 1, stuck.NotRunning: 2}[c.Running]
	}
	slices.SortStableFunc(out, func(a, b stuck.Controller) int { return running(a) - running(b) })
	return out
}

func workloadNames(controllers []stuck.Controller) []string {
	var out []string
	for _, c := range controllers {
		out = append(out, c.Workload.String())
	}
	return out
}

// workloadsText names workloads of which one is the controller.
func workloadsText(controllers []stuck.Controller) string {
	names := workloadNames(controllers)
	if len(names) > maxNames {
		return "one of " + stuck.JoinFirst(names, maxNames)
	}
	return strings.Join(names, " or ")
}

// controllerStatus says who should remove finalizers that no cause explains, behind their
// names.
func controllerStatus(controllers []stuck.Controller) string {
	workloads := possibleWorkloads(controllers)
	switch known := knownController(controllers); {
	case known.running:
		return fmt.Sprintf("which its controller %s has not removed, although it is running", known.workloads)
	case len(workloads) > 0:
		return "whose controller is probably " + workloadsText(workloads)
	case known.project != "":
		return "which belongs to " + known.project
	}
	return "whose controller is not known"
}

// logsSteps are to read the logs of the controller: of what runs, where several may be it.
func logsSteps(workloads []stuck.Controller) []partStep {
	if len(workloads) == 1 {
		return []partStep{{Step: stuck.Step{Action: stuck.ActionCheck, Description: "read the logs of the controller", Command: workloads[0].LogsCommand}}}
	}
	var out []partStep
	for i, c := range workloads[:min(len(workloads), maxNames)] {
		if i == 0 || c.Running == stuck.Running {
			out = append(out, partStep{Step: stuck.Step{Action: stuck.ActionCheck, Description: fmt.Sprintf("read the logs of %s, possibly the controller", c.Workload), Command: c.LogsCommand}})
		}
	}
	return out
}
