package recording

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// wholeScan is a scan of all objects of a type, in a namespace or in the whole cluster.
type wholeScan struct {
	typ       stuck.Type
	namespace string
}

func (r *Recorder) noteScan(t stuck.Type, namespace string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.scans[selectionQuestion(kindScan, t, cluster.Selection{Namespace: namespace})] = wholeScan{t, namespace}
}

// Recording is what has been recorded so far.
func (r *Recorder) Recording() *Recording {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := &Recording{Time: r.startTime, Version: r.version, Discovery: r.gaps}
	scanned := map[string]bool{}
	for _, scan := range r.scans {
		scanned[scan.namespace] = true
	}
	// To leave out a namespace writes down its empty answers, which can name more types, which
	// may be missing in another.
	for {
		out.Answers = r.answersWithout(scanned)
		out.Types = r.mentionedTypes(out.Answers)
		before := len(scanned)
		maps.DeleteFunc(scanned, func(namespace string, _ bool) bool { return !r.scannedAll(namespace, out.Types) })
		if len(scanned) == before {
			break
		}
	}
	out.Scanned = slices.Sorted(maps.Keys(scanned))
	return out
}

// answersWithout are the answers in order, without the scans that found nothing in some
// namespaces.
func (r *Recorder) answersWithout(scanned map[string]bool) []Answer {
	var out []Answer
	for question, a := range r.answers {
		scan, isScan := r.scans[question]
		if !isScan || !scanned[scan.namespace] || a.failed() || len(a.Objects) > 0 {
			out = append(out, a)
		}
	}
	slices.SortFunc(out, func(a, b Answer) int { return cmp.Compare(a.Question, b.Question) })
	return out
}

// mentionedTypes are the types that a fresh control plane does not have and that answers have to
// do with. Others belong to stories that were played on the same control plane.
func (r *Recorder) mentionedTypes(answers []Answer) []stuck.Type {
	var out []stuck.Type
	for _, t := range r.types {
		mentions := func(a Answer) bool {
			return strings.Contains(a.Question, " "+t.String()) || strings.Contains(a.Question, "/"+t.String()) || timesServerOf(a, t)
		}
		if !r.isBaseType(t) && slices.ContainsFunc(answers, mentions) {
			out = append(out, t)
		}
	}
	return out
}

// timesServerOf reports whether an answer is how long the server of a type takes for a list: what follows from that
// depends on how many types the server has.
func timesServerOf(a Answer, t stuck.Type) bool {
	rest, ok := strings.CutPrefix(a.Question, kindListTime+" ")
	resource, _, _ := strings.Cut(rest, " ")
	return ok && schema.ParseGroupResource(resource).Group == t.Group
}

func (r *Recorder) isBaseType(t stuck.Type) bool {
	return slices.ContainsFunc(r.baseTypes, func(base stuck.Type) bool { return base.GVR() == t.GVR() })
}

// scannedAll reports whether every type of a survey was scanned in a namespace, of those that
// the recording is to have.
func (r *Recorder) scannedAll(namespace string, mentioned []stuck.Type) bool {
	types := slices.Clone(mentioned)
	for _, t := range r.types {
		if r.isBaseType(t) {
			types = append(types, t)
		}
	}
	return len(types) > 0 && !slices.ContainsFunc(cluster.SurveyedTypes(types, namespace), func(t stuck.Type) bool {
		_, ok := r.answers[selectionQuestion(kindScan, t, cluster.Selection{Namespace: namespace})]
		return !ok
	})
}

// ReadWhole reads whole the objects that were scanned in namespaces, so that a question that a
// cause asks one day has an answer. What cannot be read stays unrecorded. Secrets are not
// read, and Events tell how a play went rather than how it ended.
func (r *Recorder) ReadWhole(ctx context.Context) {
	r.mu.Lock()
	scans := maps.Clone(r.scans)
	maps.DeleteFunc(scans, func(question string, scan wholeScan) bool {
		_, listed := r.answers[selectionQuestion(kindList, scan.typ, cluster.Selection{Namespace: scan.namespace})]
		a := r.answers[question]
		return listed || a.failed() || len(a.Objects) == 0 || scan.namespace == "" || scan.typ.IsSecret() || scan.typ.Resource == "events"
	})
	r.mu.Unlock()
	for _, scan := range scans {
		sel := cluster.Selection{Namespace: scan.namespace}
		var objects []map[string]any
		err := r.source.List(ctx, scan.typ, sel, func(u unstructured.Unstructured) { objects = append(objects, withoutManagedFields(u)) })
		if err == nil {
			r.record(selectionQuestion(kindList, scan.typ, sel), objects, nil)
		}
	}
}
