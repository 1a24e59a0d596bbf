package report

import (
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// removalWriter writes the screens of force-remove and restore: facts behind their
// labels, details wrapped, and commands as they are pasted.
type removalWriter struct{ out io.Writer }

// fact writes a fact of the whole screen, in one line: a name or a path is copied from it.
func (w removalWriter) fact(label, format string, args ...any) {
	w.row("%-10s%s", label, fmt.Sprintf(format, args...))
}

// detail writes a fact of the objects above it.
func (w removalWriter) detail(label, format string, args ...any) {
	prefix := fmt.Sprintf("      %-13s", label)
	fmt.Fprint(w.out, wrapProse(prefix, len(prefix), fmt.Sprintf(format, args...), defaultWidth))
}

// prose writes a sentence.
func (w removalWriter) prose(format string, args ...any) {
	fmt.Fprint(w.out, wrapProse("", 0, fmt.Sprintf(format, args...), defaultWidth))
}

// row writes a line that is not wrapped, so that grep finds it whole.
func (w removalWriter) row(format string, args ...any) {
	fmt.Fprintln(w.out, stuck.EscapeLine(fmt.Sprintf(format, args...)))
}

// subject writes what the details below it are about.
func (w removalWriter) subject(text string) { fmt.Fprintln(w.out, "  "+stuck.EscapeLine(text)) }

// command writes a command, which is not wrapped: it is pasted as it stands.
func (w removalWriter) command(text string) { fmt.Fprintln(w.out, "  "+stuck.EscapeLine(text)) }

// collection is where objects are together: a type in a namespace.
type collection struct {
	resource  schema.GroupVersionResource
	namespace string
}

func collectionOf(o stuck.Object) collection { return collection{o.Type.GVR(), o.Namespace} }

// subjectText names objects of one type and namespace, or says how many they are and
// names the first and the last.
func subjectText(objects []stuck.Object) string {
	if n := len(objects); n > stuck.MaxUngrouped {
		return fmt.Sprintf("%d %s (%s ... %s)", n, objects[0].TypeInNamespace(), objects[0].Name, objects[n-1].Name)
	}
	var refs []string
	for _, o := range objects {
		refs = append(refs, o.Ref())
	}
	return strings.Join(refs, ", ") + stuck.InNamespace(objects[0].Namespace)
}

// contextText is a cluster as the kubeconfig calls it, and its address.
func contextText(context, server string) string {
	if context == "" {
		return server
	}
	return fmt.Sprintf("%s (%s)", context, server)
}
