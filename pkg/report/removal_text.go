package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// PlanText writes a plan for the one who is to confirm it: what is refused
// first, for then nothing is done. It names every object, or the number of
// those of which the same is said.
func PlanText(out io.Writer, p removal.Plan) {
	fmt.Fprintf(out, "In cluster %s%s\n", p.Cluster.Server, contextNote(p.Cluster.Context))
	if len(p.Refusals) > 0 {
		fmt.Fprint(out, "\nRefused, so nothing is done\n")
		writeRefusals(out, p.Refusals)
	}
	if len(p.Steps) > 0 {
		heading := "Planned, in this order"
		if len(p.Refusals) > 0 {
			heading = "What it would do otherwise"
		}
		fmt.Fprintf(out, "\n%s\n", heading)
		for _, group := range stuck.GroupBy(p.Steps, stepKeyOf) {
			writeSteps(out, group)
		}
	}
	if events := p.EventRequests(); len(events) > 0 {
		fmt.Fprintf(out, "  Events that tell of it, %d in all\n    sends: %s\n", len(events), requestText(events[0]))
	}
}

// SkippedText writes for which targets of a plan nothing is to be done.
func SkippedText(out io.Writer, p removal.Plan) {
	if len(p.Skipped) > 0 {
		fmt.Fprint(out, "Nothing is to be done for\n")
		writeRefusals(out, p.Skipped)
	}
}

// ResultText writes what was done: a line for each object, or for those that
// ended alike, then the count, and what to do about the rest.
func ResultText(out io.Writer, r removal.Report) {
	for _, group := range stuck.GroupBy(r.Results, resultKeyOf) {
		writeResults(out, group)
	}
	count := removal.CountOutcomes(r.Results)
	if len(r.Results) > 0 {
		fmt.Fprintf(out, "%d done, %d gone by themselves, %d refused, %d failed, %d left\n",
			count[removal.Done], count[removal.Gone], count[removal.Refused], count[removal.Failed], count[removal.NotAttempted])
		fmt.Fprintf(out, "cluster %s%s; saved copies and audit.jsonl in %s\n", r.Cluster.Server, contextNote(r.Cluster.Context), r.BackupDir)
	}
	if count[removal.Done]+count[removal.Gone] < len(r.Results) {
		fmt.Fprintln(out, "to do what was not done, run the same command again")
	}
	for _, o := range r.Gone {
		if !slices.ContainsFunc(r.Results, func(i removal.Result) bool { return i.Step.Object.UID == o.UID }) {
			fmt.Fprintf(out, "%s is gone\n", o.Ref())
		}
	}
	for _, o := range r.Remaining {
		fmt.Fprintf(out, "%s is still there: %s\n", o.Ref(), o.Command("finalizers", "explain"))
	}
}

// collection is where objects are together: a type in a namespace.
type collection struct {
	resource  schema.GroupVersionResource
	namespace string
}

func collectionOf(o stuck.Object) collection { return collection{o.Type.GVR(), o.Namespace} }

// stepKey is what is said of a step, whichever object it is about.
type stepKey struct {
	collection
	finalizers, overrides, costs string
	verdict                      stuck.Verdict
}

func stepKeyOf(s removal.Step) stepKey {
	return stepKey{
		collectionOf(s.Object),
		stuck.ListKey(s.SpecFinalizers, s.Finalizers), stuck.ListKey(s.Overrides), stuck.ListKey(s.Costs), s.Verdict,
	}
}

// refusalKey is what is said of a refusal, whichever object it is about. Its command
// follows from these and the object.
type refusalKey struct {
	collection
	reason, fix, override string
	culprit               stuck.Culprit
}

func refusalKeyOf(r removal.Refusal) refusalKey {
	return refusalKey{collectionOf(r.Object), r.Reason, r.Fix.Description, r.Override, r.Culprit}
}

// resultKey is what is said of the end of a step, whichever object it is about.
type resultKey struct {
	collection
	outcome          removal.Outcome
	message, omitted string
}

func resultKeyOf(r removal.Result) resultKey {
	return resultKey{collectionOf(r.Step.Object), r.Outcome, r.Message, r.Saved.Omitted}
}

func writeSteps(out io.Writer, group []removal.Step) {
	var objects []stuck.Object
	for _, s := range group {
		objects = append(objects, s.Object)
	}
	sends := "sends"
	if len(group) > 1 {
		sends = fmt.Sprintf("sends %d like", len(group))
	}
	fmt.Fprintf(out, "  %s\n%s", subject(objects), stepText(group[0]))
	for _, r := range group[0].Requests() {
		fmt.Fprintf(out, "    %s: %s\n", sends, requestText(r))
	}
}

func writeRefusals(out io.Writer, refusals []removal.Refusal) {
	for _, group := range stuck.GroupBy(refusals, refusalKeyOf) {
		var objects []stuck.Object
		for _, r := range group {
			objects = append(objects, r.Object)
		}
		fmt.Fprintf(out, "  %s\n    %s\n    %s\n", subject(objects), group[0].Reason, group[0].Remedy())
	}
}

func writeResults(out io.Writer, group []removal.Result) {
	first := group[0]
	text := string(first.Outcome) + ": " + first.Message
	if first.Saved.Omitted != "" {
		text += "; the saved copy is without " + first.Saved.Omitted
	}
	if len(group) > stuck.MaxUngrouped {
		fmt.Fprintf(out, "%s, %s\n", manyText(len(group), first.Step.Object), text)
		return
	}
	for _, r := range group {
		fmt.Fprintf(out, "%s %s\n", r.Step.Object.Ref(), text)
	}
}

// subject names objects of one type and namespace, or says how many they are.
func subject(objects []stuck.Object) string {
	if len(objects) > stuck.MaxUngrouped {
		return manyText(len(objects), objects[0])
	}
	var refs []string
	for _, o := range objects {
		refs = append(refs, o.Ref())
	}
	return strings.Join(refs, ", ") + stuck.InNamespace(objects[0].Namespace)
}

func manyText(n int, first stuck.Object) string {
	return fmt.Sprintf("%d %s, such as %s", n, first.TypeInNamespace(), first.Name)
}

func stepText(s removal.Step) string {
	var b strings.Builder
	for _, f := range s.SpecFinalizers {
		fmt.Fprintf(&b, "    remove from spec.finalizers: %s\n", f)
	}
	for _, f := range s.Finalizers {
		fmt.Fprintf(&b, "    remove finalizer: %s\n", f)
	}
	fmt.Fprintf(&b, "    verdict: %s\n", s.Verdict)
	for _, c := range s.Costs {
		fmt.Fprintf(&b, "    leaves behind (%s): %s\n", c.Leaves.Words(), c.Description)
	}
	if s.FinalizesNamespace() {
		b.WriteString("    what is still there then is lost: it stays in etcd, out of reach unless a namespace of that name is created again\n")
		b.WriteString("    only if all before it is done, and its controller has not finished it by itself\n")
	}
	if len(s.Overrides) > 0 {
		fmt.Fprintf(&b, "    only because of: %s\n", strings.Join(s.Overrides, " "))
	}
	return b.String()
}

// requestText is a request as it is sent.
func requestText(r removal.Request) string {
	body, err := json.Marshal(r.Body)
	if err != nil {
		return r.Verb + " " + r.Path
	}
	if r.Whole {
		return fmt.Sprintf("%s %s\n      the whole object as it is then, with %s", r.Verb, r.Path, body)
	}
	return fmt.Sprintf("%s %s\n      %s", r.Verb, r.Path, body)
}

// contextNote is what the kubeconfig calls a cluster, behind its address.
func contextNote(context string) string {
	if context == "" {
		return ""
	}
	return " (context " + context + ")"
}
