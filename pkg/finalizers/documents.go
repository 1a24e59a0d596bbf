package finalizers

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// The documents, and what is in them.
type (
	// StuckList is what is stuck, with its root causes.
	StuckList = report.StuckList
	// StuckObject is an object, and why it is stuck.
	StuckObject = report.StuckObject
	// Explanation is why one object is stuck, with all that it waits for.
	Explanation = report.Explanation
	// WaitedObject is an object that must be deleted first, with what it waits for in turn.
	WaitedObject = report.WaitedObject
	// Finding is a cause that holds for an object, with its evidence and the next steps.
	Finding = stuck.Finding
	// Gap is what could not be read, and why.
	Gap = report.Gap
	// Verdict is what a diagnosis comes to.
	Verdict = stuck.Verdict
)

// The verdicts.
const (
	// Progressing means that a controller works on the deletion: wait.
	Progressing = stuck.Progressing
	// Blocked means that something that is named must be fixed.
	Blocked = stuck.Blocked
	// ControllerGone means that no controller is left that could finish the deletion.
	ControllerGone = stuck.ControllerGone
	// Unknown means that too little could be read, or is known, for a conclusion.
	Unknown = stuck.Unknown
)
