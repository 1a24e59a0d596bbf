package recording

import (
	"encoding/json"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Renaming makes another cluster of a recorded one, in which the same happened to objects of other names.
type Renaming struct {
	// Name is the new name of an object, or the new last part of a finalizer that no project has.
	Name func(string) string
	// Namespaces says that namespaces have new names too.
	Namespaces bool
	// Only is the one object that has a new name, empty for all of them.
	Only string
	// Text follows what controllers wrote into conditions and events.
	Text string

	names map[string]string
}

// Renamed answers as the recording does, of the other cluster, and returns the new names by the old ones. Objects
// that are known by their names keep them.
func (s *Source) Renamed(r Renaming) (*Source, map[string]string) {
	r.findNames(s.recording)
	other := *s.recording
	other.Scanned, other.Answers = nil, nil
	for _, namespace := range s.recording.Scanned {
		other.Scanned = append(other.Scanned, r.text(namespace))
	}
	for _, a := range s.recording.Answers {
		other.Answers = append(other.Answers, r.answer(a))
	}
	return other.Source(s.types[:len(s.types)-len(other.Types)]), r.names
}

// findNames gives a new name to whatever the recording names.
func (r *Renaming) findNames(recording *Recording) {
	names, kept := map[string]bool{}, map[string]bool{"default": true}
	for _, a := range recording.Answers {
		if _, wellKnown, ok := strings.Cut(a.Question, ".apps named "); ok {
			kept[wellKnown] = true // the catalog names it
		}
		question, _, _ := strings.Cut(a.Question, " with labels ")
		question, namespace, _ := strings.Cut(question, " in ")
		if _, name, ok := strings.Cut(question, "/"); ok {
			noteName(question, namespace, name, names, kept)
		}
		r.noteNamespace(namespace, names, kept)
		for _, object := range a.Objects {
			u := unstructured.Unstructured{Object: object}
			noteName(a.Question, u.GetNamespace(), u.GetName(), names, kept)
			r.noteNamespace(u.GetNamespace(), names, kept)
			for _, owner := range u.GetOwnerReferences() {
				names[owner.Name] = true
			}
			for _, finalizer := range u.GetFinalizers() {
				if strings.Contains(finalizer, "example.com/") {
					names[finalizer] = true
				}
			}
		}
	}
	r.names = map[string]string{}
	for name := range names {
		if domain, path, isFinalizer := strings.Cut(name, "/"); isFinalizer {
			r.names[name] = domain + "/" + r.Name(path)
		} else if name != "" && !kept[name] && (r.Only == "" || r.Only == name) {
			r.names[name] = r.Name(name)
		}
	}
}

// noteName notes the name of an object. Those of the cluster's own parts are kept, and those that follow from types.
func noteName(question, namespace, name string, names, kept map[string]bool) {
	isNamespace := strings.Contains(question, " namespaces/") || strings.HasSuffix(question, " namespaces")
	switch {
	case strings.HasPrefix(namespace, "kube-"), strings.HasPrefix(name, "kube-"), strings.Contains(name, ":"),
		strings.Contains(question, " customresourcedefinitions."), strings.Contains(question, " apiservices."):
		kept[name] = true
	case !isNamespace:
		names[name] = true
	}
}

func (r *Renaming) noteNamespace(namespace string, names, kept map[string]bool) {
	if r.Namespaces && !strings.HasPrefix(namespace, "kube-") {
		names[namespace] = true
	} else {
		kept[namespace] = true
	}
}

func (r *Renaming) answer(a Answer) Answer {
	question, labels, labeled := strings.Cut(a.Question, " with labels ")
	a.Question = r.text(question)
	if labeled {
		a.Question += " with labels " + labels
	}
	a.Failure = r.text(a.Failure)
	if a.Error != nil {
		a.Error = r.status(*a.Error)
	}
	objects := a.Objects
	a.Objects = nil
	for _, object := range objects {
		a.Objects = append(a.Objects, r.value("", object).(map[string]any))
	}
	return a
}

func (r *Renaming) status(s metav1.Status) *metav1.Status {
	s.Message = r.text(s.Message)
	if s.Details != nil {
		details := *s.Details
		details.Name, details.Causes = r.text(details.Name), slices.Clone(details.Causes)
		for i, cause := range details.Causes {
			details.Causes[i].Message = r.text(cause.Message)
		}
		s.Details = &details
	}
	return &s
}

// value renames what a field holds. What an API server compares, and allows few characters in, stays as it is.
func (r *Renaming) value(field string, value any) any {
	switch field {
	case "labels", "matchLabels", "matchExpressions", "selector", "apiVersion", "kind", "group", "apiGroup", "apiGroups", "resources", "verbs",
		"kubectl.kubernetes.io/last-applied-configuration":
		return value
	}
	switch value := value.(type) {
	case string:
		if field == "message" || field == "note" {
			return r.text(value) + r.Text
		}
		return r.text(value)
	case []any:
		out := make([]any, len(value))
		for i, item := range value {
			out[i] = r.value(field, item)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(value))
		for key, item := range value {
			out[r.managedKey(key)] = r.value(key, item)
		}
		return out
	}
	return value
}

// managedKey renames a finalizer where it is a key, as managedFields have it.
func (r *Renaming) managedKey(key string) string {
	if encoded, ok := strings.CutPrefix(key, "v:"); ok {
		var name string
		if json.Unmarshal([]byte(encoded), &name) == nil {
			encoded, _ := json.Marshal(r.text(name)) // a text can always be written
			return "v:" + string(encoded)
		}
	}
	return key
}

// text renames each word of a text that is a name, or part of a path that is one.
func (r *Renaming) text(text string) string {
	var out strings.Builder
	for len(text) > 0 {
		end := strings.IndexFunc(text, func(c rune) bool { return !isNameCharacter(c) && c != '/' })
		if end == 0 {
			out.WriteByte(text[0])
			text = text[1:]
			continue
		} else if end < 0 {
			end = len(text)
		}
		word := strings.TrimRight(text[:end], ".")
		if name, ok := r.names[word]; ok {
			word = name
		} else {
			parts := strings.Split(word, "/")
			for i, part := range parts {
				if name, ok := r.names[part]; ok {
					parts[i] = name
				}
			}
			word = strings.Join(parts, "/")
		}
		out.WriteString(word + strings.Repeat(".", end-len(strings.TrimRight(text[:end], "."))))
		text = text[end:]
	}
	return out.String()
}

func isNameCharacter(c rune) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '.' || c == '-'
}
