package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Usage is a type whose objects keep the object being deleted for as long as they use it.
type Usage struct {
	Type Type `json:"type" yaml:"type"`
	// Naming is where the user holds the name of what it uses, and Kind the field that holds its kind, where it may use
	// several.
	Naming `json:",inline" yaml:",inline"`
	Kind   Field `json:"kind,omitempty" yaml:"kind"`
	// All says that every object of the type counts, without naming what it uses: those of the namespace of a namespaced
	// object, and those of the whole cluster otherwise.
	All bool `json:"all,omitempty" yaml:"all"`
	// Namespace is the field of the user that holds the namespace of what it uses. Where it is left out, a namespaced
	// object is used from its own namespace only.
	Namespace Field `json:"namespace,omitempty" yaml:"namespace"`
	// Unless are values of the user with which it does not count.
	Unless []FieldValue `json:"unless,omitempty" yaml:"unless"`
	// Text says how a user uses the object, as in "nodeclaim/a names the class". Left out it is "uses it".
	Text string `json:"text,omitempty" yaml:"text"`
	// Release is the step after which a user does not count. In its command {user} and {namespace} are the name and the namespace
	// of the user. Left out it is to delete the user.
	Release *stuck.Step `json:"release,omitempty" yaml:"release"`
	// Transient says that the use ends by itself, as that of a snapshot while it is restored: there is nothing to change.
	Transient bool `json:"transient,omitempty" yaml:"transient"`
}

// UsesText is how a user uses the object.
func (u Usage) UsesText() string { return cmp.Or(u.Text, "uses it") }

// Uses reports whether a user names an object. A name without a namespace means one in the user's own.
func (u Usage) Uses(user map[string]any, kind, namespace, name string) (uses bool) {
	for _, v := range u.Unless {
		if v.Matches(user) {
			return false
		}
	}
	metadata, _ := user["metadata"].(map[string]any)
	own, _ := metadata["namespace"].(string)
	if u.All {
		return namespace == "" || own == namespace
	}
	u.each(user, func(used string, entry map[string]any, within func(Field) Field) {
		otherKind := within(u.Kind).value(entry)
		usedNamespace := cmp.Or(within(u.Namespace).value(entry), own)
		inScope := namespace == "" || usedNamespace == "" || usedNamespace == namespace
		if used == name && (otherKind == "" || otherKind == kind) && inScope {
			uses = true
		}
	})
	return uses
}

// Pause is a value with which the controller leaves the object alone, its deletion included.
type Pause struct {
	FieldValue `json:",inline" yaml:",inline"`
	// Of are the objects by which another one is found whose value counts: the object being deleted names the first, each of
	// them the next. Where it is left out, it is the object's own value.
	Of []Link `json:"of,omitempty" yaml:"of"`
	// Resume is the step that ends the pause. In its command {parent} is the name of the other object.
	Resume stuck.Step `json:"resume" yaml:"resume"`
}

// Class says that the controller handles only objects of its class.
type Class struct {
	// Name is the field, or Annotation the annotation, that holds the name of the class.
	FieldValue `json:",inline" yaml:",inline"`
	Type       Type `json:"type" yaml:"type"`
	// Controller is the field of the class that names its controller, and Controllers are the controller's names.
	Controller  Field    `json:"controller,omitempty" yaml:"controller"`
	Controllers []string `json:"controllers,omitempty" yaml:"controllers"`
}

// NameIn is the name of the class of an object, empty where it has none.
func (c Class) NameIn(object map[string]any) string {
	name, _ := c.lookup(object)
	return name
}

// ControllerIn is the controller that a class names.
func (c Class) ControllerIn(class map[string]any) string { return c.Controller.value(class) }

// checkName returns what is wrong with how a user names the object.
func (u Usage) checkName() error {
	if u.All && (u.isNamed() || u.Namespace.isSet()) {
		return errors.New("all counts every object of the type: no field names what it uses")
	}
	if u.All {
		return nil
	}
	return u.Naming.check()
}

func (u Usage) check() error {
	if err := errors.Join(u.Type.check(), u.checkName()); err != nil {
		return fmt.Errorf("usedBy: %w", err)
	}
	if strings.Contains(string(u.Type), "*") {
		return fmt.Errorf("usedBy: type %q names more than one type: users are read type by type", u.Type)
	}
	for _, field := range []Field{u.Kind, u.Namespace} {
		if field.isSet() && field.check() != nil {
			return fmt.Errorf("usedBy: %w", field.check())
		}
	}
	for _, v := range u.Unless {
		if err := v.check(); err != nil {
			return fmt.Errorf("usedBy: unless: %w", err)
		}
	}
	if u.Release == nil {
		return nil
	}
	if err := checkSteps([]stuck.Step{*u.Release}); err != nil {
		return fmt.Errorf("usedBy: release: %w", err)
	}
	return nil
}

func (p Pause) check() error {
	if err := p.FieldValue.check(); err != nil {
		return fmt.Errorf("paused: %w", err)
	}
	if err := checkLinks(p.Of); err != nil {
		return fmt.Errorf("paused: of: %w", err)
	}
	if err := checkSteps([]stuck.Step{p.Resume}); err != nil {
		return fmt.Errorf("paused: resume: %w", err)
	}
	return nil
}

func (c Class) check() error {
	if err := errors.Join(c.FieldValue.check(), c.Type.check()); err != nil {
		return fmt.Errorf("class: %w", err)
	}
	if c.Controller.isSet() != (len(c.Controllers) > 0) {
		return errors.New("class: controller and controllers go together")
	}
	return nil
}
