package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// foldByCause puts together objects of one type that are stuck for one cause and wait for the
// like. Those with one culprit are put together first, then those that remain; a few stay apart.
// The first object stays alone where it is the one that is explained.
func foldByCause(all []*stuck.Diagnosis, firstAlone bool) []stuck.Group {
	keys := causeKeys{}
	folded := map[*stuck.Diagnosis]string{}
	rest := all
	if firstAlone {
		rest = all[1:]
	}
	for _, key := range []func(*stuck.Diagnosis) string{keys.withCulprits, keys.withWaitsFor} {
		var few []*stuck.Diagnosis
		for _, g := range stuck.GroupBy(rest, key) {
			if len(g) <= stuck.MaxUngrouped {
				few = append(few, g...)
				continue
			}
			for _, d := range g {
				folded[d] = key(d)
			}
		}
		rest = few
	}
	var out []stuck.Group
	for _, g := range stuck.GroupBy(all, func(d *stuck.Diagnosis) any {
		if key, ok := folded[d]; ok {
			return key
		}
		return d
	}) {
		out = append(out, g)
	}
	return out
}

// causeKeys are equal for objects of one type that are stuck for the same causes.
type causeKeys map[*stuck.Diagnosis]string

func (k causeKeys) of(d *stuck.Diagnosis) string {
	key, ok := k[d]
	if !ok {
		o := d.Object
		var b strings.Builder
		fmt.Fprintf(&b, "%q %t %t %q %q", o.Type.GVK(), o.NamespaceMissing, o.Deleting(), d.Verdict, d.Unexplained)
		for _, f := range d.Findings {
			fmt.Fprintf(&b, " %q %q", f.Cause, f.Certainty)
		}
		key = b.String()
		k[d] = key
	}
	return key
}

// withWaitsFor tells apart what waits for different kinds of objects.
func (k causeKeys) withWaitsFor(d *stuck.Diagnosis) string {
	var waitsFor []string
	for _, w := range d.WaitsFor {
		if key := k.of(w); !slices.Contains(waitsFor, key) {
			waitsFor = append(waitsFor, key)
		}
	}
	slices.Sort(waitsFor)
	return k.of(d) + " waits for " + strings.Join(waitsFor, " and ")
}

// withCulprits tells apart what different culprits hold.
func (k causeKeys) withCulprits(d *stuck.Diagnosis) string {
	var b strings.Builder
	b.WriteString(k.withWaitsFor(d))
	for _, f := range d.Findings {
		if !f.IsLink() && !blamesObject(d.Object, f) {
			fmt.Fprintf(&b, " %q", f.BlockedBy)
		}
	}
	return b.String()
}
