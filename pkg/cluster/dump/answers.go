package dump

import (
	"errors"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// answers are those of the API server that our own snapshot holds. A question that was asked has
// its answer; any other has what follows from those to lists and scans that were read to the end.
type answers struct {
	byQuestion map[string]Answer
	// whole are the objects of which the snapshot has all, and metadata those of which it has the
	// whole metadata. Of the others it has what a scan keeps.
	whole, metadata map[objectKey]bool
}

type objectKey struct{ resource, namespace, name string }

func newAnswers(list []Answer) *answers {
	a := &answers{byQuestion: map[string]Answer{}, whole: map[objectKey]bool{}, metadata: map[objectKey]bool{}}
	for _, each := range list {
		a.byQuestion[each.Question] = each
		words := strings.SplitN(each.Question, " ", 3)
		if len(words) < 3 {
			continue
		}
		for _, object := range each.Objects {
			key := keyOf(words[1], object)
			switch Kind(words[0]) {
			case KindGet, KindList:
				a.whole[key] = true
			case KindMetadata:
				a.metadata[key] = true
			}
		}
	}
	return a
}

func keyOf(resource, object string) objectKey {
	namespace, name, _ := strings.Cut(object, "/")
	return objectKey{resource, namespace, name}
}

// inventory are the scopes that a scan or a list read to the end.
func (a *answers) inventory() inventory {
	i := newInventory()
	for _, each := range a.byQuestion {
		words := strings.Split(each.Question, " ")
		if len(words) != 3 || Kind(words[0]) != KindScan && Kind(words[0]) != KindList || each.Failed() {
			continue
		}
		i.markWhole(schema.ParseGroupResource(words[1]), strings.TrimSuffix(words[2], "/"))
	}
	return i
}

// noteLostFiles notes the objects that an answer names and the snapshot does not hold: whoever sends it
// may take files out of it before.
func (s *Source) noteLostFiles() {
	if s.answers == nil {
		return
	}
	for _, answer := range s.answers.byQuestion {
		words := strings.SplitN(answer.Question, " ", 3)
		if len(words) < 3 || len(answer.Objects) == 0 {
			continue
		}
		resource := schema.ParseGroupResource(words[1])
		number := s.numberOf(resource)
		for _, object := range answer.Objects {
			namespace, name, _ := strings.Cut(object, "/")
			if number < 0 || s.byType[number].find(s.entries, namespace, name) == nil {
				s.inventory.lost[scope{resource, namespace}], s.inventory.lost[scope{resource, ""}] = true, true
			}
		}
	}
}

// err is the error of an answer.
func (a Answer) err() error {
	switch {
	case a.Error != nil:
		return &apierrors.StatusError{ErrStatus: *a.Error}
	case a.Failure == cluster.ErrTooManyObjects.Error():
		return cluster.ErrTooManyObjects
	case a.Failure != "":
		return errors.New(a.Failure)
	}
	return nil
}

// value is an answer that no objects imply.
func (a *answers) value(question string) (Answer, error) {
	answer, ok := a.byQuestion[question]
	if !ok {
		return Answer{}, errNotHeld
	}
	return answer, answer.err()
}

func (a *answers) serves(t stuck.Type) (bool, error) {
	answer, err := a.value(ServesQuestion(t))
	return answer.Yes, err
}

func (a *answers) listTime(t stuck.Type, namespace string) (time.Duration, error) {
	answer, err := a.value(SelectionQuestion(KindListTime, t, cluster.Selection{Namespace: namespace}))
	if err != nil {
		return 0, err
	}
	return time.ParseDuration(answer.Took)
}

func (a *answers) metrics() (cluster.Metrics, error) {
	answer, err := a.value(string(KindWatches))
	return cluster.Metrics{Watches: answer.Watches}, err
}

func (a *answers) mayPatch(t stuck.Type, namespace, name string) (bool, error) {
	answer, err := a.value(MayPatchQuestion(t, namespace, name))
	return answer.Yes, err
}

func (a *answers) probe(o stuck.Object) error {
	_, err := a.value(ObjectQuestion(KindProbe, o.Type, o.Namespace, o.Name))
	return err
}

// selected is the answer about the objects of a type, and known where it was asked.
func (a *answers) selected(kind Kind, t stuck.Type, sel cluster.Selection) (answer Answer, known bool) {
	answer, known = a.byQuestion[SelectionQuestion(kind, t, sel)]
	return answer, known
}

// object is the error of an answer about one object, and known where it was asked.
func (a *answers) object(kind Kind, t stuck.Type, namespace, name string) (err error, known bool) {
	answer, known := a.byQuestion[ObjectQuestion(kind, t, namespace, name)]
	return answer.err(), known
}

// has reports whether the snapshot has as much of an object as a question asks for.
func (a *answers) has(kind Kind, t stuck.Type, namespace, name string) bool {
	key := objectKey{t.String(), namespace, name}
	return a.whole[key] || kind == KindMetadata && a.metadata[key]
}
