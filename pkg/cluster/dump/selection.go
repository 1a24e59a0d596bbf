package dump

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Scan visits the objects of a type.
func (s *Source) Scan(_ context.Context, t stuck.Type, sel cluster.Selection, visit func(stuck.Object)) error {
	served, err := s.sameType(t)
	if err != nil {
		return err
	}
	if s.answers != nil {
		if answer, known := s.answers.selected(KindScan, served, sel); known {
			missing := s.eachNamed(served, answer, func(e *entry) { visit(s.object(e)) })
			return errors.Join(missing, answer.err())
		}
		if err := s.checkContent(KindMetadata, served, sel); err != nil && (sel.Labels != "" || sel.Fields != "") {
			return err
		}
	}
	err = s.each(served, sel, false, func(e *entry, _ *unstructured.Unstructured) { visit(s.object(e)) })
	return errors.Join(err, s.inventory.check(served, sel.Namespace))
}

// eachNamed visits the objects of an answer. Whoever sends a snapshot may take files out of it before.
func (s *Source) eachNamed(t stuck.Type, answer Answer, visit func(*entry)) error {
	missing := 0
	for _, object := range answer.Objects {
		namespace, name, _ := strings.Cut(object, "/")
		if e := s.find(t, namespace, name); e != nil {
			visit(e)
		} else {
			missing++
		}
	}
	if missing > 0 {
		return fmt.Errorf("the files of %s are not in this dump", stuck.Count(missing, "object"))
	}
	return nil
}

// checkContent is nil where a snapshot has as much of the objects in a scope as a question asks
// for.
func (s *Source) checkContent(kind Kind, t stuck.Type, sel cluster.Selection) error {
	for _, i := range s.byType[s.typeNumber(t)].in(s.entries, sel.Namespace) {
		if e := &s.entries[i]; !s.answers.has(kind, t, e.namespace, e.name) {
			return errNotHeld
		}
	}
	return nil
}

// List visits the whole objects of a type.
func (s *Source) List(_ context.Context, t stuck.Type, sel cluster.Selection, visit func(unstructured.Unstructured)) error {
	if t.IsSecret() {
		return errSecretContents
	}
	served, err := s.sameType(t)
	if err != nil {
		return err
	}
	if s.answers != nil {
		if answer, known := s.answers.selected(KindList, served, sel); known {
			return errors.Join(s.visitWhole(served, answer, visit), answer.err())
		}
		if err := s.checkContent(KindGet, served, sel); err != nil {
			return err
		}
	}
	if err := s.inventory.check(served, sel.Namespace); err != nil {
		return err
	}
	n := 0
	err = s.each(served, sel, true, func(_ *entry, u *unstructured.Unstructured) {
		if n++; sel.MaxObjects == 0 || n <= sel.MaxObjects {
			visit(*u)
		}
	})
	if err == nil && sel.MaxObjects > 0 && n > sel.MaxObjects {
		return cluster.ErrTooManyObjects
	}
	return err
}

func (s *Source) visitWhole(t stuck.Type, answer Answer, visit func(unstructured.Unstructured)) (err error) {
	missing := s.eachNamed(t, answer, func(e *entry) {
		u, readErr := s.decode(e)
		if readErr != nil {
			err = readErr
			return
		}
		visit(*u)
	})
	return errors.Join(missing, err)
}
