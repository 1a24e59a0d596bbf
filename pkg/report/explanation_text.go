package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Screen is what the explanation of one object says, and how wide it may be.
type Screen struct {
	Root *stuck.Diagnosis
	// Similar are other objects for which the same holds, each with its own name.
	Similar []*stuck.Diagnosis
	Gaps    []stuck.Gap
	Now     time.Time
	// Width is that of the terminal, 0 where it is not known.
	Width int
	// ListableTypes is how many types the server has that can be listed.
	ListableTypes int
	// Conditions are those of a Namespace.
	Conditions []metav1.Condition
	// Remaining counts what is left in a Namespace by its conditions, which are no proof.
	Remaining map[schema.GroupResource]int
	// Force is the forced way, empty where there is none.
	Force stuck.Step
}

// ExplanationText writes an explanation for a person: the answer first, then what the object
// is, what waits for what, each cause with its proof and its steps, what force would leave
// behind, and what could not be checked.
func ExplanationText(out io.Writer, s Screen) error {
	p := &textWriter{now: s.Now, width: s.Width}
	if s.Root.Object.NeedsVerdict() {
		p.explain(s)
	} else {
		p.prose("", hangingIndent, notDeletedText(stuck.Group{s.Root}))
	}
	p.gaps(s)
	_, err := io.WriteString(out, p.text.String())
	return err
}

// NotDeletedText writes a line for objects that are not being deleted, and one for many that
// are similar.
func NotDeletedText(out io.Writer, diagnoses []*stuck.Diagnosis, width int) error {
	p := &textWriter{width: width}
	for _, g := range stuck.GroupSimilar(diagnoses) {
		p.prose("", hangingIndent, notDeletedText(g))
	}
	_, err := io.WriteString(out, p.text.String())
	return err
}

// notDeletedText says what would hold objects if they were deleted.
func notDeletedText(g stuck.Group) string {
	o := g.First().Object
	text := g.String() + stuck.InNamespace(o.Namespace) + " is not being deleted"
	if len(g) > 1 {
		text = g.String() + stuck.InNamespace(o.Namespace) + " are not being deleted"
	}
	switch len(o.Finalizers) {
	case 0:
		return text + "."
	case 1:
		return text + "; finalizer: " + o.Finalizers[0]
	}
	return text + "; finalizers: " + finalizerList(o.Finalizers, ", ")
}

type textWriter struct {
	text strings.Builder
	now  time.Time
	// width is that of the terminal, 0 where it is not known.
	width int
}

// line writes one line, however many the text of a cluster would make of it.
func (p *textWriter) line(format string, args ...any) {
	p.text.WriteString(stuck.EscapeLine(fmt.Sprintf(format, args...)) + "\n")
}

func (p *textWriter) blankLine() { p.text.WriteByte('\n') }

func (p *textWriter) section(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	p.blankLine()
	p.line("%s", title)
	for _, line := range lines {
		p.line("  %s", line)
	}
}

// hangingIndent is that of a sentence which begins at the margin: what is wrapped can be told
// from the next one.
const hangingIndent = 4

func (p *textWriter) explain(s Screen) {
	blocks := causeBlocks(s.Root)
	p.answer(s.Root, blocks)
	if len(s.Similar) > 0 {
		p.prose("", hangingIndent, "The same holds for "+similarText(s.Similar)+".")
	}
	p.blankLine()
	p.objectFacts(s)
	if lines := tree(s.Root, blocks, proseWidth(p.width)); len(lines) > 0 {
		p.blankLine()
		for _, line := range lines {
			p.line("%s", line)
		}
	}
	p.causeBlocks(s.Root, blocks, s.Force)
	p.leftBehind(s.Root, blocks)
}

// similarText names the objects of a group behind the first.
func similarText(similar []*stuck.Diagnosis) string {
	names := make([]string, 0, len(similar))
	for _, d := range similar {
		names = append(names, d.Object.Name)
	}
	return stuck.Count(len(similar), "similar object") + " (" + strings.Join(names, ", ") + ")"
}

// answer writes the first lines, which say what is wrong and why.
func (p *textWriter) answer(root *stuck.Diagnosis, blocks []*causeBlock) {
	text, causes := answerText(root, blocks, p.now)
	p.prose("", hangingIndent, text)
	for i, c := range causes {
		if i == maxCauses {
			p.line("  and %d more (-o json has all)", len(causes)-i)
			break
		}
		p.prose(fmt.Sprintf("  %d. ", i+1), 0, c.withCertainty(c.withAffected(root)))
	}
}

// answerText says what is wrong, and why where that is one cause. Several are to be listed.
func answerText(root *stuck.Diagnosis, blocks []*causeBlock, now time.Time) (text string, several []*causeBlock) {
	o := root.Object
	if o.Deleting() && !o.IsStuck(now) {
		return fmt.Sprintf("%s is being deleted and within its grace period for another %s: wait.",
			o.RefInNamespace(), duration.HumanDuration(o.DeletionTime.Sub(now))), nil
	}
	state, remark := o.RefInNamespace()+" "+stateText(root), ""
	if root.Verdict == stuck.Unknown && o.Deleting() {
		remark = ", and not fully explained"
	}
	switch causes := answering(root, blocks); len(causes) {
	case 0:
		return state + remark + noCauseText(root) + "." + remarkText(root), nil
	case 1:
		c := causes[0]
		if about := c.affected(root); about != "" && !c.holdsFor(root) && c.saysOne() {
			state += " because of " + about
		}
		return state + remark + ": " + c.withCertainty(c.sentence(root)) + "." + remarkText(root), nil
	default:
		return state + remark + causesText(root, causes, now) + "." + remarkText(root), causes
	}
}

// answering are the blocks that say why a verdict is what it is. What nothing explains says so
// only where nothing is known to be blocked.
func answering(root *stuck.Diagnosis, blocks []*causeBlock) []*causeBlock {
	return slices.DeleteFunc(slices.Clone(blocks), func(c *causeBlock) bool {
		return c.isLink() || !c.isExplained() && root.Verdict != stuck.Unknown
	})
}

// stateText says in the words of the verdict how an object is.
func stateText(root *stuck.Diagnosis) string {
	state := map[stuck.Verdict]string{
		stuck.Blocked:        "blocked",
		stuck.ControllerGone: "stuck",
		stuck.Progressing:    "being deleted",
		stuck.Unknown:        "stuck",
	}[root.Verdict]
	if !root.Object.Deleting() {
		state = "in a deleted namespace, and is not being deleted itself"
	}
	return "is " + state
}

// causesText says for how many causes an object is stuck, and for how many others it waits.
func causesText(root *stuck.Diagnosis, causes []*causeBlock, now time.Time) string {
	text := ", for " + countedCauses(causes)
	others := root.All()[1:]
	switch {
	case len(others) == 0:
		return text
	case slices.ContainsFunc(others, func(d *stuck.Diagnosis) bool { return !isIn(d.Object, root.Object) || !d.Object.IsStuck(now) }):
		return ": it waits for " + stuck.Count(len(others), "object") + text
	case root.Verdict != stuck.Blocked: // it is said to be stuck itself
		return ", with " + stuck.Count(len(others), "object") + " in it" + text
	case len(others) == 1:
		return ": 1 object in it is stuck" + text
	}
	return fmt.Sprintf(": %d objects in it are stuck%s", len(others), text)
}

// countedCauses counts causes, and apart from them what no cause was found for.
func countedCauses(causes []*causeBlock) string {
	known := 0
	for _, c := range causes {
		if c.isExplained() {
			known++
		}
	}
	unknown := stuck.Count(len(causes)-known, "unknown cause")
	switch known {
	case len(causes):
		return stuck.Count(known, "cause")
	case 0:
		return unknown
	}
	return stuck.Count(known, "known cause") + " and " + unknown
}

// noCauseText says what is known of an object of which no cause is.
func noCauseText(root *stuck.Diagnosis) string {
	others := root.All()[1:]
	waits := ": it waits for " + stuck.Count(len(others), "object")
	if len(others) == 1 {
		waits = ": it waits for " + others[0].Object.RefInNamespace()
	}
	switch {
	case len(root.WaitsFor) == 0 && root.Verdict == stuck.Progressing:
		return ""
	case len(root.WaitsFor) == 0:
		return ": no cause was found"
	case root.Verdict == stuck.Progressing:
		return waits
	}
	return waits + ", for which no cause was found"
}

// remarkText is what to know beside the causes.
func remarkText(root *stuck.Diagnosis) string {
	onlyGone := !slices.ContainsFunc(root.All(), func(d *stuck.Diagnosis) bool {
		return len(d.Unexplained) > 0 || slices.ContainsFunc(d.Findings, func(f stuck.Finding) bool { return !f.IsLink() && f.Verdict != stuck.ControllerGone })
	})
	switch {
	case root.Verdict == stuck.Progressing:
		return " Wait."
	case root.Verdict == stuck.Unknown && onlyGone && len(openCauses(root)) > 0:
		return " Other causes could not be checked."
	}
	return ""
}
