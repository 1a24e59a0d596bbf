package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// check says what a file lacks as a whole.
func (f fileForm) check() error {
	switch {
	case f.Project == "":
		return errors.New("project is missing")
	case f.Area == "":
		return errors.New("area is missing")
	case len(f.Components) == 0:
		return errors.New("components is empty: say what removes these finalizers")
	case len(f.Finalizers) == 0:
		return errors.New("finalizers is empty")
	}
	return nil
}

func (c Component) check() error {
	if c.RemovedBy != "" && !slices.Contains(knownRemovers(), c.RemovedBy) {
		return fmt.Errorf("removedBy %q is none of %v", c.RemovedBy, knownRemovers())
	}
	for _, workload := range c.Workloads {
		kind, name, ok := strings.Cut(workload, "/")
		if !ok || kind == "" || name == "" || kind != strings.ToLower(kind) {
			return fmt.Errorf("workload %q is not kind/name, as in deployment/cert-manager", workload)
		}
	}
	for _, label := range c.Labels {
		if !strings.Contains(label, "=") {
			return fmt.Errorf("label %q is not key=value", label)
		}
	}
	return cmp.Or(checkEach(c.Source), c.Hosted.check(c.RemovedBy), checkEach(c.Scope), checkEach(c.Paused), checkEach(c.Class), checkEach(c.Confirmation))
}

// check says what an entry lacks or has wrong.
func (e Entry) check() error {
	return errors.Join(e.checkName(), e.checkEnums(), e.checkTypes(), e.checkText(), e.checkConditions(), e.checkSource())
}

func (e Entry) checkName() error {
	switch {
	case (e.Finalizer == "") == (e.Pattern == ""):
		return errors.New("an entry has either finalizer or pattern")
	case strings.ContainsAny(e.Finalizer, "<> "):
		return fmt.Errorf("finalizer %q is no whole name: use pattern for placeholders", e.Finalizer)
	case e.Pattern == "":
		return nil
	}
	pattern, err := e.Pattern.compile()
	if err != nil {
		return err
	}
	values, ok := pattern.match(e.Example)
	if !ok {
		return fmt.Errorf("example %q is not taken by pattern %q", e.Example, e.Pattern)
	}
	for name := range e.Names {
		if _, ok := values[name]; !ok {
			return fmt.Errorf("names: %q is no placeholder of pattern %q", name, e.Pattern)
		}
	}
	return nil
}

func (e Entry) checkEnums() error {
	switch {
	case !slices.Contains(knownLeaks(), e.Leak):
		return fmt.Errorf("leak %q is none of %v", e.Leak, knownLeaks())
	case !slices.Contains(knownRoles(), e.Role):
		return fmt.Errorf("role %q is none of %v", e.Role, knownRoles())
	case !slices.Contains(knownStatuses(), e.Status):
		return fmt.Errorf("status %q is none of %v", e.Status, knownStatuses())
	}
	for _, verb := range e.Verbs {
		if verb != "update" && verb != "patch" {
			return fmt.Errorf("verb %q is neither update nor patch", verb)
		}
	}
	return nil
}

func (e Entry) checkTypes() error {
	if len(e.Types) == 0 {
		return errors.New("types is empty: use \"*\" for every type")
	}
	for _, t := range e.Types {
		if err := t.check(); err != nil {
			return err
		}
	}
	return nil
}

func (e Entry) checkText() error {
	for field, text := range map[string]string{"waitsFor": e.WaitsFor, "leaves": e.LeftBehind} {
		if strings.TrimSpace(text) == "" {
			return fmt.Errorf("%s is missing", field)
		}
	}
	if len(e.Resolution) == 0 {
		return errors.New("steps is empty: say what to check or do first")
	}
	return checkSteps(e.Resolution)
}

func checkSteps(steps []stuck.Step) error {
	for _, step := range steps {
		if step.Description == "" {
			return errors.New("description of a step is missing")
		}
		if !step.Action.IsKnown() {
			return fmt.Errorf("action %q of a step is none of check, change, delete and force", step.Action)
		}
	}
	return nil
}

// checkConditions says what is wrong with what the entry says of the objects that its controller depends on.
func (e Entry) checkConditions() error {
	return cmp.Or(
		checkEach(e.Needs), checkEach(e.UsedBy), checkEach(e.Paused), checkEach(e.Class), checkEach(e.Confirmation), checkEach(e.Remote), checkEach(e.EnabledBy),
		e.Obsolete.check(),
	)
}

// checkEach is the first error of some items.
func checkEach[T interface{ check() error }](items []T) error {
	for _, item := range items {
		if err := item.check(); err != nil {
			return err
		}
	}
	return nil
}

func (e Entry) checkSource() error {
	if len(e.Source) == 0 {
		return errors.New("source is missing: an entry without one does not enter")
	}
	return checkEach(e.Source)
}

// knownLeaks are the leaks that a file may name; Unknown where the source could not be read.
func knownLeaks() []stuck.Leak {
	return []stuck.Leak{stuck.LeakNothing, stuck.LeakObjects, stuck.LeakExternal, stuck.LeakData, stuck.LeakUnknown}
}
