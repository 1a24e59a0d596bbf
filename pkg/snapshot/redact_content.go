package snapshot

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/dump"
)

// keptFields are the fields whose texts are words of the API, or, in a caBundle, certificates: no names that could be
// replaced.
var keptFields = map[string]bool{
	"apiVersion": true, "kind": true, "group": true, "apiGroup": true, "version": true, "resource": true, "plural": true, "singular": true,
	"resources": true, "apiGroups": true, "apiVersions": true, "verbs": true, "operations": true, "operation": true,
	"listKind": true, "shortNames": true, "categories": true, "caBundle": true,
}

// wordFields are the fields that hold a word of the API, unless a controller writes something else into them.
var (
	wordFields = []string{"type", "reason", "phase"}
	apiWord    = regexp.MustCompile(`^[A-Z][0-9A-Za-z]*$`)
)

// freeKeys are the fields that hold maps whose keys somebody else chose.
var freeKeys = []string{"labels", "annotations", "matchLabels", "selector", "nodeSelector", "data", "binaryData"}

// object is the content of an object with pseudonyms. No part of it is that of the given one. It leaves out what encodes
// names so that they cannot be replaced, and what no cause reads: binaryData, and the certificates of requests.
func (r *Redaction) object(content map[string]any) map[string]any {
	out := r.value("", content).(map[string]any)
	delete(out, "binaryData")
	if out["kind"] == "CertificateSigningRequest" {
		unstructured.RemoveNestedField(out, "spec", "request")
		unstructured.RemoveNestedField(out, "status", "certificate")
	}
	return out
}

func (r *Redaction) value(field string, value any) any {
	switch value := value.(type) {
	case string:
		if keptFields[field] || slices.Contains(wordFields, field) && apiWord.MatchString(value) {
			return value
		}
		return r.Text(value)
	case []any:
		out := make([]any, len(value))
		for i, each := range value {
			out[i] = r.value(field, each)
		}
		return out
	case map[string]any:
		if field == "fieldsV1" {
			return r.fieldSet("", value)
		}
		out := make(map[string]any, len(value))
		for key, each := range value {
			text, isText := each.(string)
			switch {
			case !slices.Contains(freeKeys, field):
				out[r.key(key)] = r.value(key, each)
			case isText: // whatever the key
				out[r.Text(key)] = r.Text(text)
			default: // such as matchLabels in a selector
				out[r.Text(key)] = r.value(key, each)
			}
		}
		return out
	}
	return value
}

// fieldSet is what a field manager owns of a field (structured-merge-diff's fieldpath.Set), with pseudonyms: f: is before a
// field, and v: and k: are before the value and the keys of an entry of a list.
func (r *Redaction) fieldSet(field string, set map[string]any) map[string]any {
	out := make(map[string]any, len(set))
	for key, each := range set {
		prefix, name, _ := strings.Cut(key, ":")
		redacted := r.Text(name)
		if prefix == "f" && !slices.Contains(freeKeys, field) {
			redacted = r.key(name)
		}
		owned, _ := each.(map[string]any)
		out[strings.TrimSuffix(prefix+":"+redacted, ":")] = r.fieldSet(name, owned)
	}
	return out
}

// key is the name of a field, which stays, or one that somebody chose.
func (r *Redaction) key(key string) string {
	if strings.ContainsAny(key, "-./:_") {
		return r.Text(key)
	}
	return key
}

// document is the document of a snapshot with pseudonyms. Its types stay.
func (r *Redaction) document(s dump.Snapshot) (dump.Snapshot, error) {
	s.Redacted, s.VersionError = true, r.Text(s.VersionError)
	s.DiscoveryGaps = slices.Clone(s.DiscoveryGaps)
	for i := range s.DiscoveryGaps {
		s.DiscoveryGaps[i].Error = r.Text(s.DiscoveryGaps[i].Error)
	}
	// What begins at a part of a name has no pseudonym.
	s.Answers = slices.DeleteFunc(slices.Clone(s.Answers), func(a dump.Answer) bool { return dump.HasWindow(a.Question) })
	for i, answer := range s.Answers {
		answer.Question, answer.Failure = r.question(answer.Question), r.Text(answer.Failure)
		answer.Objects = slices.Clone(answer.Objects)
		for j, object := range answer.Objects {
			answer.Objects[j] = r.Text(object)
		}
		if answer.Error != nil {
			status, err := r.status(*answer.Error)
			if err != nil {
				return s, err
			}
			answer.Error = status
		}
		s.Answers[i] = answer
	}
	return s, nil
}

// status is an error of the API server with pseudonyms.
func (r *Redaction) status(s metav1.Status) (*metav1.Status, error) {
	encoded, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var content map[string]any
	if err := json.Unmarshal(encoded, &content); err != nil {
		return nil, err
	}
	if encoded, err = json.Marshal(r.object(content)); err != nil {
		return nil, err
	}
	out := &metav1.Status{}
	return out, json.Unmarshal(encoded, out)
}

// question is a question with pseudonyms, as it is asked of the snapshot.
func (r *Redaction) question(question string) string {
	words := strings.SplitN(question, " ", 3)
	if len(words) < 3 {
		return question
	}
	const labelsBegin, fieldsBegin = " labels=", " fields=" // as dump.SelectionQuestion writes them
	rest, fields, hasFields := strings.Cut(words[2], fieldsBegin)
	objects, selector, hasLabels := strings.Cut(rest, labelsBegin)
	words[2] = r.Text(objects)
	if hasLabels {
		words[2] += labelsBegin + r.selector(selector)
	}
	if hasFields {
		words[2] += fieldsBegin + r.fieldSelector(fields)
	}
	return strings.Join(words, " ")
}

// selector is a label selector with pseudonyms, sorted if it was.
func (r *Redaction) selector(selector string) string {
	redacted := r.Text(selector)
	was, err := labels.Parse(selector)
	if err != nil || was.String() != selector {
		return redacted
	}
	if parsed, err := labels.Parse(redacted); err == nil {
		redacted = parsed.String()
	}
	return redacted
}

// fieldSelector is a field selector with pseudonyms in its values.
func (r *Redaction) fieldSelector(selector string) string {
	terms := strings.Split(selector, ",")
	for i, term := range terms {
		if field, value, ok := strings.Cut(term, "="); ok {
			terms[i] = field + "=" + r.Text(value)
		}
	}
	return strings.Join(terms, ",")
}
