package dump

import (
	"errors"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// matcher selects objects as the API server does. Fields are found by their path, which is what
// the API server names them by.
type matcher struct {
	name   string
	labels labels.Selector
	fields fields.Selector
}

func newMatcher(sel cluster.Selection) (matcher, error) {
	m := matcher{name: sel.Name}
	var err, fieldsErr error
	m.labels, err = labels.Parse(sel.Labels)
	m.fields, fieldsErr = fields.ParseSelector(sel.Fields)
	return m, errors.Join(err, fieldsErr)
}

func (m matcher) needsContent() bool { return !m.labels.Empty() || !m.fields.Empty() }

// mayMatch spares the decoding of most Events.
func (m matcher) mayMatch(e *entry) bool {
	if m.name != "" && e.name != m.name {
		return false
	}
	uid, ok := m.fields.RequiresExactMatch("involvedObject.uid")
	return !ok || e.involved == uid
}

func (m matcher) matches(u *unstructured.Unstructured) bool {
	set := fields.Set{}
	for _, r := range m.fields.Requirements() {
		set[r.Field], _, _ = unstructured.NestedString(u.Object, strings.Split(r.Field, ".")...)
	}
	return m.labels.Matches(labels.Set(u.GetLabels())) && m.fields.Matches(set)
}
