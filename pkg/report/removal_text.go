package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// PlanText writes a plan for the one who is to confirm it: what is refused
// first, for then nothing is done. It names every object, or the number of
// those of which the same is said.
func PlanText(out io.Writer, p RemovalPlan) {
	fmt.Fprintf(out, "In cluster %s%s\n", p.Server, contextNote(p.Context))
	var steps, refusals itemGroups
	for _, s := range p.Steps {
		steps.add(s.Item, stepText(s), s.Requests...)
	}
	for _, r := range p.Refusals {
		refusals.add(r.Item, refusalText(r))
	}
	if len(refusals) > 0 {
		fmt.Fprint(out, "\nRefused, so nothing is done\n")
		refusals.write(out)
	}
	if len(steps) > 0 {
		heading := "Planned, in this order"
		if len(refusals) > 0 {
			heading = "What it would do otherwise"
		}
		fmt.Fprintf(out, "\n%s\n", heading)
		steps.write(out)
	}
	if n := len(p.Events); n > 0 {
		fmt.Fprintf(out, "  Events that tell of it, %d in all\n    sends: %s\n", n, requestText(p.Events[0]))
	}
}

// SkippedText writes for which targets of a plan nothing is to be done.
func SkippedText(out io.Writer, p RemovalPlan) {
	var skipped itemGroups
	for _, r := range p.Skipped {
		skipped.add(r.Item, refusalText(r))
	}
	if len(skipped) > 0 {
		fmt.Fprint(out, "Nothing is to be done for\n")
		skipped.write(out)
	}
}

func refusalText(r RemovalRefusal) string { return fmt.Sprintf("    %s\n    %s\n", r.Reason, r.Remedy) }

// ResultText writes what was done: a line for each object, or for those that
// ended alike, then the count, and what to do about the rest.
func ResultText(out io.Writer, r RemovalResult) {
	var groups itemGroups
	count := map[string]int{}
	for _, i := range r.Items {
		text := i.Outcome + ": " + i.Message
		if i.Omitted != "" {
			text += "; the saved copy is without " + i.Omitted
		}
		groups.add(i.Item, text)
		count[i.Outcome]++
	}
	for _, l := range groups {
		for _, subject := range l.subjects() {
			fmt.Fprintf(out, "%s %s\n", subject, l.text)
		}
	}
	if len(r.Items) > 0 {
		fmt.Fprintf(out, "%d done, %d gone by themselves, %d refused, %d failed, %d left\n",
			count["done"], count["gone"], count["refused"], count["failed"], count["left"])
		fmt.Fprintf(out, "cluster %s%s; saved copies and audit.jsonl in %s\n", r.Server, contextNote(r.Context), r.Backup)
	}
	if count["done"]+count["gone"] < len(r.Items) {
		fmt.Fprintln(out, "to do what was not done, run the same command again")
	}
	for _, g := range r.Deleted {
		if !slices.ContainsFunc(r.Items, func(i RemovalItem) bool { return i.UID == g.UID }) {
			fmt.Fprintf(out, "%s is gone\n", itemRef(g))
		}
	}
	for _, l := range r.Remaining {
		fmt.Fprintf(out, "%s is still there: kubectl finalizers explain %s\n", itemRef(l), itemArgs(l))
	}
}

func itemArgs(i Item) string {
	if i.Namespace == "" {
		return itemRef(i)
	}
	return itemRef(i) + " -n " + i.Namespace
}

// itemGroups puts together the objects of a type and namespace of which the same is
// said.
type itemGroups []itemGroup

type itemGroup struct {
	items []Item
	// key is what is said, whichever object it is said of, and text what is
	// said of the first.
	key, text string
	requests  []RemovalRequest // of the first
}

func (f *itemGroups) add(i Item, text string, requests ...RemovalRequest) {
	key := strings.ReplaceAll(text, itemRef(i), "")
	for k := range *f {
		group := &(*f)[k]
		first := group.items[0]
		if group.key == key && first.Resource == i.Resource && first.APIVersion == i.APIVersion && first.Namespace == i.Namespace {
			group.items = append(group.items, i)
			return
		}
	}
	*f = append(*f, itemGroup{items: []Item{i}, key: key, text: text, requests: requests})
}

func (f *itemGroups) write(out io.Writer) {
	for _, l := range *f {
		fmt.Fprintf(out, "  %s\n%s", l.subject(), l.text)
		for _, r := range l.requests {
			fmt.Fprintf(out, "    %s: %s\n", l.sendsLabel(), requestText(r))
		}
	}
}

func (l itemGroup) sendsLabel() string {
	if len(l.items) == 1 {
		return "sends"
	}
	return fmt.Sprintf("sends %d like", len(l.items))
}

// subjects are the objects by name, or their number where there are many.
func (l itemGroup) subjects() []string {
	if len(l.items) > stuck.MaxUngrouped {
		return []string{fmt.Sprintf("%d %s, such as %s,", len(l.items), itemTypeRef(l.items[0]), l.items[0].Name)}
	}
	var refs []string
	for _, i := range l.items {
		refs = append(refs, itemRef(i))
	}
	return refs
}

func (l itemGroup) subject() string {
	if len(l.items) > stuck.MaxUngrouped {
		return strings.TrimSuffix(l.subjects()[0], ",")
	}
	return strings.Join(l.subjects(), ", ") + inNamespace(l.items[0])
}

func stepText(s RemovalStep) string {
	var b strings.Builder
	for _, f := range s.RemoveSpec {
		fmt.Fprintf(&b, "    remove from spec.finalizers: %s\n", f)
	}
	for _, f := range s.Remove {
		fmt.Fprintf(&b, "    remove finalizer: %s\n", f)
	}
	fmt.Fprintf(&b, "    verdict: %s\n", s.Verdict)
	for _, c := range s.LeftBehind {
		fmt.Fprintf(&b, "    leaves behind (%s): %s\n", c.Leak, c.What)
	}
	if slices.Contains(s.RemoveSpec, "kubernetes") {
		b.WriteString("    what is still there then is lost: it stays in etcd, out of reach unless a namespace of that name is created again\n")
		b.WriteString("    only if all before it is done, and its controller has not finished it by itself\n")
	}
	if len(s.Overrides) > 0 {
		fmt.Fprintf(&b, "    only because of: %s\n", strings.Join(s.Overrides, " "))
	}
	return b.String()
}

// requestText is a request as it is sent.
func requestText(r RemovalRequest) string {
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

func itemRef(i Item) string {
	t := stuck.Type{Kind: i.Kind, Group: itemAPIGroup(i)}
	return t.Singular() + "/" + i.Name
}

func itemTypeRef(i Item) string {
	return stuck.Type{Resource: i.Resource, Group: itemAPIGroup(i)}.String() + inNamespace(i)
}

func inNamespace(i Item) string {
	if i.Namespace == "" {
		return ""
	}
	return " in namespace " + i.Namespace
}

func itemAPIGroup(i Item) string {
	group, _, ok := strings.Cut(i.APIVersion, "/")
	if !ok {
		return ""
	}
	return group
}
