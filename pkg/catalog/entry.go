package catalog

import (
	"maps"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Entry is what is known of one finalizer, or of one family of them.
type Entry struct {
	// Finalizer is the whole name; empty when Pattern is set.
	Finalizer string `json:"finalizer,omitempty"`
	// Pattern is the whole name with placeholders, and Example one name that it takes.
	Pattern Pattern `json:"pattern,omitempty"`
	Example string  `json:"example,omitempty"`
	// Area and Project say where it belongs.
	Area    string `json:"area"`
	Project string `json:"project"`
	// Types are the types that carry it.
	Types []Type `json:"types"`
	// Component is what removes it.
	Component Component `json:"component"`
	// Verbs are the verbs with which the component removes it, all of which it needs; empty where that is not known.
	Verbs      []string     `json:"verbs,omitempty"`
	Role       Role         `json:"role"`
	Status     Status       `json:"status,omitempty"`
	WaitsFor   string       `json:"waitsFor"`
	Leak       stuck.Leak   `json:"leak"`
	LeftBehind string       `json:"leaves"`
	Resolution []stuck.Step `json:"steps"`
	Note       string       `json:"note,omitempty"`
	// Needs are the objects without which the controller cannot finish, and UsedBy the types whose objects keep the
	// object. Paused and Class are what makes the controller leave the object alone; those of the component count too.
	Needs  []Need  `json:"needs,omitempty"`
	UsedBy []Usage `json:"usedBy,omitempty"`
	Paused []Pause `json:"paused,omitempty"`
	Class  []Class `json:"class,omitempty"`
	// Confirmation is what a person has to say before the controller goes on; those of the component count too.
	Confirmation []Confirmation `json:"confirmation,omitempty"`
	// Remote are the other clusters in which something has to be done first.
	Remote []Remote `json:"remote,omitempty"`
	// EnabledBy are the settings of the component without which it does not handle the finalizer.
	EnabledBy []Setting `json:"enabledBy,omitempty"`
	// Obsolete is set where current releases do not remove the finalizer.
	Obsolete *Obsolete `json:"obsolete,omitempty"`
	// Names maps a placeholder to the type of object that it names.
	Names  map[string]Type `json:"names,omitempty"`
	Source []Source        `json:"source"`

	// where the entry was read, for messages about it
	file string
	line int
	// ownDomain is what OwnDomain returns.
	ownDomain string
}

// OwnDomain is the domain that the finalizer shares with API groups of its component: where no group under it is served, the component
// has nothing to do. It is empty where that is not known, such as for a component that handles types of any group, or none of its own.
func (e Entry) OwnDomain() string { return e.ownDomain }

// Component is how to find what removes a finalizer.
type Component struct {
	Name       string   `json:"name,omitempty" yaml:"name"`
	RemovedBy  Remover  `json:"removedBy" yaml:"removedBy"`
	Namespaces []string `json:"namespaces,omitempty" yaml:"namespaces"`
	// Workloads are kind/name, the kind in lower case and singular.
	Workloads []string `json:"workloads,omitempty" yaml:"workloads"`
	// Labels are a selector: a pod of the component has them all. Many operators share a single common label.
	Labels     []string `json:"labels,omitempty" yaml:"labels"`
	Containers []string `json:"containers,omitempty" yaml:"containers"`
	Managers   []string `json:"managers,omitempty" yaml:"managers"`
	Paused     []Pause  `json:"paused,omitempty" yaml:"paused"`
	Class      []Class  `json:"class,omitempty" yaml:"class"`
	// Scope is what limits the component to some namespaces. The first that tells anything counts.
	Scope []Scope `json:"scope,omitempty" yaml:"scope"`
	// Confirmation is what a person has to say before the component goes on with a deletion.
	Confirmation []Confirmation `json:"confirmation,omitempty" yaml:"confirmation"`
	// Hosted is where the component runs, if the API of the cluster does not show it.
	Hosted *Hosted `json:"hosted,omitempty" yaml:"hosted"`
	// Source is where the workloads, namespaces, labels and containers were read.
	Source []Source `json:"source,omitempty" yaml:"source"`
}

// MatchesLabels reports whether a workload or pod with these labels is the component, as far as labels tell.
func (c Component) MatchesLabels(labels map[string]string) bool {
	for _, label := range c.Labels {
		key, want, _ := strings.Cut(label, "=")
		if value, ok := labels[key]; !ok || value != want {
			return false
		}
	}
	return len(c.Labels) > 0
}

// MayRunBesideObject reports whether the component may run in the namespace of any object: it has no usual name, and is installed for
// some namespaces each.
func (c Component) MayRunBesideObject() bool { return len(c.Scope) > 0 && len(c.Workloads) == 0 }

// HasWorkload reports whether the component runs as a workload of this kind and name.
func (c Component) HasWorkload(kind, name string) bool {
	for _, workload := range c.Workloads {
		if strings.EqualFold(workload, kind+"/"+name) {
			return true
		}
	}
	return false
}

// Name is the entry's name as a person writes it: the finalizer, or the pattern.
func (e Entry) Name() string {
	if e.Finalizer != "" {
		return e.Finalizer
	}
	return string(e.Pattern)
}

// IdentifiesController reports whether the name alone identifies the controller. A framework's marker does not.
func (e Entry) IdentifiesController() bool {
	return e.Role != RoleMarker && e.Component.RemovedBy != RemovedByTypeController
}

// Matches reports whether the entry lists the type of the object that carries the finalizer.
func (e Entry) Matches(subject Subject) bool {
	for _, t := range e.Types {
		if t.Matches(subject) {
			return true
		}
	}
	return false
}

// Fill puts values in the place of the {placeholders} of the entry's commands and workloads, and quotes them for a shell
// where a command needs that; what has no value stays as it is. An object without a namespace is asked for without one. The
// namespace of what releases the object is that of its user, and stays open.
func (e Entry) Fill(values map[string]string) Entry {
	filled := e.fillWorkloads(values).changeSteps(func(step *stuck.Step) {
		if values["namespace"] == "" {
			step.Command = strings.ReplaceAll(step.Command, " -n {namespace}", "")
		}
		step.Command = stuck.FillCommand(step.Command, values)
	})
	ofUser := maps.Clone(values)
	delete(ofUser, "namespace")
	for i, u := range e.UsedBy {
		if u.Release != nil {
			filled.UsedBy[i].Release.Command = stuck.FillCommand(u.Release.Command, ofUser)
		}
	}
	return filled
}

// changeSteps is the entry with all of its steps changed.
func (e Entry) changeSteps(change func(*stuck.Step)) Entry {
	e.Resolution, e.Needs, e.UsedBy = slices.Clone(e.Resolution), slices.Clone(e.Needs), slices.Clone(e.UsedBy)
	e.Paused, e.Remote, e.Confirmation = slices.Clone(e.Paused), slices.Clone(e.Remote), slices.Clone(e.Confirmation)
	for i := range e.Resolution {
		change(&e.Resolution[i])
	}
	for i := range e.Needs {
		e.Needs[i].Steps = slices.Clone(e.Needs[i].Steps)
		for j := range e.Needs[i].Steps {
			change(&e.Needs[i].Steps[j])
		}
	}
	for i, u := range e.UsedBy {
		if u.Release != nil {
			release := *u.Release
			change(&release)
			e.UsedBy[i].Release = &release
		}
	}
	e.Component.Scope = slices.Clone(e.Component.Scope)
	for i, s := range e.Component.Scope {
		if s.Extend != nil {
			extend := *s.Extend
			change(&extend)
			e.Component.Scope[i].Extend = &extend
		}
	}
	for i := range e.Paused {
		change(&e.Paused[i].Resume)
	}
	for i := range e.Remote {
		change(&e.Remote[i].Connect)
	}
	for i := range e.Confirmation {
		change(&e.Confirmation[i].Confirm)
	}
	return e
}

// FillForReader is Fill where no object is at hand: <namespace>, <name> and, where the values have no type, <type> stand
// for what the reader fills in, and <user>, <parent> and <remote> for other objects.
func (e Entry) FillForReader(values map[string]string) Entry {
	blanks := map[string]string{"user": "<user>", "parent": "<parent>", "remote": "<remote>"}
	for _, name := range []string{"namespace", "name", "type"} {
		if values[name] == "" {
			blanks[name] = "<" + name + ">"
		}
	}
	e = e.fillWorkloads(values).fillWorkloads(blanks)
	return e.changeSteps(func(step *stuck.Step) { step.Command = fill(stuck.FillCommand(step.Command, values), blanks) })
}

func (e Entry) fillWorkloads(values map[string]string) Entry {
	e.Component.Workloads = slices.Clone(e.Component.Workloads)
	for i, workload := range e.Component.Workloads {
		e.Component.Workloads[i] = fill(workload, values)
	}
	return e
}

func fill(text string, values map[string]string) string {
	for name, value := range values {
		if value != "" {
			text = strings.ReplaceAll(text, "{"+name+"}", value)
		}
	}
	return text
}
