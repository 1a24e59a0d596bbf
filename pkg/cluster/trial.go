package cluster

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Trial is what the API server would say to whoever takes the finalizers off
// an object. That it is neither accepted nor refused nor forbidden means that
// it is not known.
type Trial struct {
	// Object is the object that was tried.
	Object stuck.Object
	// Others says that it stood for others that are alike, and whose fields and
	// labels nobody has looked at.
	Others bool
	// Accepted says that the finalizers can be taken off.
	Accepted bool
	// Forbidden says that the user may not patch the object, so nothing was
	// tried.
	Forbidden bool
	// Refusal is why it was refused, nil where it was not.
	Refusal *Refusal
}

// NoProbes keeps the view from sending dry runs. It goes before any question.
func (v *View) NoProbes() { v.shared.unprobed = true }

// manyOfAType is how many objects of one type in one namespace have to be asked
// about for them to be read in one go.
const manyOfAType = 10

// manyNamespaces is how many namespaces have to be asked about for what each
// holds of a few things to be read for all of them in one go.
const manyNamespaces = 10

// Represent says which objects are to be asked about, before the questions
// about them. It chooses those that stand for many in a probe: to try each of
// five thousand alike objects would cost five thousand requests, and all get
// the same answer. It notes what there is so much of that it is to be read in
// one go.
func (v *View) Represent(objects []stuck.Object) {
	e := v.shared
	e.mu.Lock()
	defer e.mu.Unlock()
	count, crowd, places := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, o := range objects {
		count[probeKey(o)]++
		crowd[crowdKey(o.Type, o.Namespace)]++
		places[o.Namespace] = true
	}
	e.wide = e.wide || len(places) > manyNamespaces
	for key, n := range crowd {
		if n > manyOfAType {
			e.crowds[key] = true
		}
	}
	for _, o := range objects {
		if _, ok := e.first[probeKey(o)]; !ok && count[probeKey(o)] > stuck.Handful && probed(o) {
			e.first[probeKey(o)] = o
		}
	}
}

// many says whether many objects of a type in a namespace are asked about.
func (v *View) many(t stuck.Type, namespace string) bool {
	v.shared.mu.Lock()
	defer v.shared.mu.Unlock()
	return v.shared.crowds[crowdKey(t, namespace)]
}

// wide says whether many namespaces are asked about.
func (v *View) wide() bool {
	v.shared.mu.Lock()
	defer v.shared.mu.Unlock()
	return v.shared.wide
}

func crowdKey(t stuck.Type, namespace string) string { return t.GVR().String() + " " + namespace }

// probeKey is equal for objects whose probes would be the same.
func probeKey(o stuck.Object) string {
	return fmt.Sprintf("%s %s %q", o.Type.GVR(), o.Namespace, o.Finalizers)
}

// probed says whether there is anything to try: an object that is not being
// deleted keeps its finalizers, nothing can be written in a namespace that is
// gone, and without a uid there is no telling that it is still the same.
func probed(o stuck.Object) bool {
	return o.Deleting() && !o.Ghost && len(o.Finalizers) > 0 && o.UID != ""
}

// Probe tries, as a dry run, what taking the object's finalizers off would do.
// The spec.finalizers of a Namespace are not tried: nobody but the namespace
// controller is to remove them.
func (v *View) Probe(o stuck.Object) Trial {
	if !probed(o) {
		return Trial{}
	}
	if v.shared.unprobed {
		v.Note(stuck.Gap{Source: "what a dry run would answer", Error: "turned off (--probe=false)"})
		return Trial{}
	}
	v.shared.mu.Lock()
	first, others := v.shared.first[probeKey(o)]
	v.shared.mu.Unlock()
	if others {
		o = first
	}
	if !v.knowsDryRuns(o.Type) {
		return Trial{}
	}
	allowed, known := v.mayPatch(o)
	if !allowed {
		return Trial{Object: o, Others: others, Forbidden: known}
	}
	return ask(v, "probe "+string(o.UID)+" "+probeKey(o), func() (Trial, []stuck.Gap) {
		t := Trial{Object: o, Others: others}
		err := v.shared.source.Probe(v.ctx, o)
		t.Accepted = err == nil
		t.Refusal = refusalOf(err)
		if err == nil || t.Refusal != nil || apierrors.IsNotFound(err) {
			return t, nil
		}
		return t, []stuck.Gap{{Source: "the answer to a dry run on " + placeOf(o), Error: Reason(err)}}
	})
}

// knowsDryRuns says whether a dry run of the type is sure to be one. The API
// server itself has known them since 1.12; a server behind an APIService may
// never have heard of them, and would do what it is asked.
func (v *View) knowsDryRuns(t stuck.Type) bool {
	if stuck.BuiltIn(t.Group) {
		return true
	}
	api := v.APIService(t.Group, t.Version)
	if api.Found() && api.Value.Spec.Service == nil {
		return true
	}
	if api.Found() || api.Absent() {
		v.Note(stuck.Gap{
			Source: "the answer to a dry run on " + t.String(),
			Error:  "not tried, the API server does not serve them itself and whoever does may take it for a real write",
		})
	}
	return false
}

// mayPatch says whether the user may patch the object.
func (v *View) mayPatch(o stuck.Object) (allowed, known bool) {
	if v.mayPatchEverywhere(o.Type) {
		return true, true
	}
	for _, name := range []string{"", o.Name} {
		answer := ask(v, fmt.Sprintf("may patch %s %s/%s", o.Type, o.Namespace, name), func() (One[bool], []stuck.Gap) {
			may, err := v.shared.source.MayPatch(v.ctx, o.Type, o.Namespace, name)
			if err != nil {
				return One[bool]{}, []stuck.Gap{{Source: "whether you may patch " + typeIn(o), Error: Reason(err)}}
			}
			return One[bool]{Value: &may}, nil
		})
		if !answer.Found() || *answer.Value {
			return answer.Found(), answer.Found()
		}
	}
	v.Note(stuck.Gap{Source: "the answer to a dry run on " + typeIn(o), Error: "not tried, you may not patch them"})
	return false, true
}

// mayPatchEverywhere spares the question for each of many namespaces. That it
// says no means nothing.
func (v *View) mayPatchEverywhere(t stuck.Type) bool {
	return v.wide() && once(v, fmt.Sprintf("may patch %s everywhere", t), func() bool {
		may, err := v.shared.source.MayPatch(v.ctx, t, "", "")
		return err == nil && may
	})
}

func typeIn(o stuck.Object) string { return inNamespace(o.Type.String(), o.Namespace) }

func placeOf(o stuck.Object) string { return inNamespace(o.Ref(), o.Namespace) }

func inNamespace(what, namespace string) string {
	if namespace == "" {
		return what
	}
	return what + " in namespace " + namespace
}
