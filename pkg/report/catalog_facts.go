package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// CatalogFact is something that is known of a finalizer, in a line.
type CatalogFact struct{ Name, Text string }

// maxFacts is how many facts of one kind are printed one by one.
const maxFacts = 3

// DependencyFacts are what the removal of a finalizer depends on, beside the controller: rights, other objects, and what a
// person has said on the object.
func DependencyFacts(e catalog.Entry) []CatalogFact {
	var facts []CatalogFact
	add := func(name string, texts ...string) {
		for _, text := range texts {
			facts = append(facts, CatalogFact{Name: name, Text: text})
		}
	}
	if len(e.Verbs) > 0 {
		add("Needs", "the right to "+strings.Join(e.Verbs, " and ")+" the object")
	}
	add("Needs", needTexts(e.Needs)...)
	add("Kept for", userTexts(e.UsedBy)...)
	for _, class := range e.Class {
		add("Class", classText(class))
	}
	if len(e.Paused) > 0 {
		add("Paused by", pausesText(e.Paused))
	}
	for _, c := range e.Confirmation {
		add("Waits until", c.String())
	}
	for _, scope := range e.Component.Scope {
		add("Works in", scope.Text())
	}
	for _, setting := range e.EnabledBy {
		add("Only with", setting.Text())
	}
	for _, r := range e.Remote {
		add("Done in", r.String()+unlessText("the object", r.Unless))
	}
	return facts
}

// DependencySteps are the steps for what the removal of a finalizer depends on, each with the condition for which it is.
func DependencySteps(e catalog.Entry) []stuck.Step {
	var steps []stuck.Step
	add := func(condition string, step stuck.Step) {
		step.Description = condition + step.Description
		if !slices.Contains(steps, step) {
			steps = append(steps, step)
		}
	}
	for _, need := range e.Needs {
		for _, step := range need.Steps {
			add("without what it needs "+need.Purpose+": ", step)
		}
	}
	for _, user := range e.UsedBy {
		if user.Release != nil {
			add("for each "+string(user.Type)+" that "+user.UsesText()+": ", *user.Release)
		}
	}
	for _, scope := range e.Component.Scope {
		if scope.Extend != nil {
			add("if no controller works in the namespace: ", *scope.Extend)
		}
	}
	for _, pause := range e.Paused {
		add("to end the pause: ", pause.Resume)
	}
	for _, c := range e.Confirmation {
		add("if the deletion waits for it: ", c.Confirm)
	}
	for _, r := range e.Remote {
		add("if "+string(r.Type)+" is not ready: ", r.Connect)
	}
	return steps
}

// needTexts name the objects without which the controller cannot finish.
func needTexts(needs []catalog.Need) []string {
	var texts []string
	var types []catalog.Type
	for _, need := range needs {
		named := " named by " + need.Text() + ofText(need.Of)
		if need.Fixed != "" {
			named = " " + need.Fixed
		}
		texts = append(texts, fmt.Sprintf("%s%s, %s%s", typesText(need.Types), named, need.Purpose, unlessText("the object", need.Unless)))
		types = append(types, need.Types...)
	}
	if len(needs) <= maxFacts {
		return texts
	}
	slices.Sort(types)
	return []string{fmt.Sprintf("%s named by one of %d fields; -o yaml lists them", typesText(slices.Compact(types)), len(needs))}
}

// userTexts name the types whose objects keep the object, and the fields by which.
func userTexts(users []catalog.Usage) []string {
	var texts []string
	var types []catalog.Type
	for _, user := range users {
		names := " that names it in " + user.Naming.Text()
		if user.All {
			names = ", every one in the object's namespace, or in the cluster if it has none"
		}
		texts = append(texts, fmt.Sprintf("%s%s%s", user.Type, names, unlessText("that", user.Unless)))
		if !slices.Contains(types, user.Type) {
			types = append(types, user.Type)
		}
	}
	if len(users) <= maxFacts {
		return texts
	}
	return []string{fmt.Sprintf("%s, while one names it in one of %d fields; -o yaml lists them", typesText(types), len(users))}
}

// classText names the class whose objects alone the controller handles.
func classText(c catalog.Class) string {
	text := fmt.Sprintf("%s named by %s", c.Type, c.FieldValue)
	if len(c.Controllers) > 0 {
		text += fmt.Sprintf(", with %s=%s", c.Controller, strings.Join(c.Controllers, " or "))
	}
	return text + "; the controller leaves other objects alone"
}

// pausesText names the values with which the controller leaves the object alone.
func pausesText(pauses []catalog.Pause) string {
	var texts []string
	for _, pause := range pauses {
		text := pause.Text()
		text += ofText(pause.Of)
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// ofText names the type of the object, found by links from the object being deleted, whose values count.
func ofText(links []catalog.Link) string {
	if len(links) == 0 {
		return ""
	}
	return " of its " + typesText(links[len(links)-1].Types)
}

// unlessText names the values with which something does not count.
func unlessText(object string, values []catalog.FieldValue) string {
	var texts []string
	for _, v := range values {
		texts = append(texts, v.Text())
	}
	if len(texts) == 0 {
		return ""
	}
	return fmt.Sprintf(", unless %s has %s", object, strings.Join(texts, " or "))
}
