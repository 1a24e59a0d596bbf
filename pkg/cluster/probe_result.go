package cluster

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ProbeResult is what the API server would respond to the removal of an object's
// finalizers. If it is neither accepted nor rejected nor forbidden, that is not
// known.
type ProbeResult struct {
	// Object is the object that was tried.
	Object stuck.Object
	// Representative means that it stood for similar objects, the fields and labels
	// of which were not read.
	Representative bool
	// Accepted means that the finalizers can be removed.
	Accepted bool
	// Forbidden means that the user may not patch the object, so nothing was
	// tried.
	Forbidden bool
	// Rejection is why it was rejected, nil where it was not.
	Rejection *apitext.Rejection
}

// isProbeable reports whether there is anything to try: an object that is not being
// deleted keeps its finalizers, nothing can be written in a namespace that is
// gone, and without a uid there is no telling that it is still the same.
func isProbeable(o stuck.Object) bool {
	return o.Deleting() && !o.NamespaceMissing && len(o.Finalizers) > 0 && o.UID != ""
}

// Probe sends a dry run of removing the object's finalizers. It leaves out the
// spec.finalizers of a Namespace: only the namespace controller should remove
// them.
func (v *View) Probe(o stuck.Object) ProbeResult {
	if !isProbeable(o) {
		return ProbeResult{}
	}
	if reason := v.options.probesDisabled; reason != "" {
		v.AddGaps(stuck.Gap{Source: "the results of dry runs", Error: reason, ProbeSkipped: true})
		return ProbeResult{}
	}
	// Each of thousands of finalizers may ask, and to compare them takes as long as there are many.
	key := fmt.Sprintf("probe %s %s/%s %s %s with %d finalizers", o.Type.GVR(), o.Namespace, o.Name, o.UID, o.ResourceVersion, len(o.Finalizers))
	return memoizeWithGaps(v, key, func() (ProbeResult, []stuck.Gap) {
		scoped := v.Scoped()
		return scoped.probe(o), scoped.Gaps()
	})
}

func (v *View) probe(o stuck.Object) ProbeResult {
	representative, isRepresented := v.options.diagnosed.representatives[probeKey(o)]
	if isRepresented {
		o = representative
	}
	if !v.ServesDryRun(o.Type) {
		return ProbeResult{}
	}
	allowed, known := v.mayPatch(o)
	if !allowed {
		return ProbeResult{Object: o, Representative: isRepresented, Forbidden: known}
	}
	if accepted, ok := v.acceptedElsewhere(o); ok {
		return accepted
	}
	t := v.sendProbe(o)
	t.Representative = isRepresented
	return t
}

// sendProbe sends the dry run of one object, once.
func (v *View) sendProbe(o stuck.Object) ProbeResult {
	return memoizeWithGaps(v, "probe "+string(o.UID)+" "+probeKey(o), func() (ProbeResult, []stuck.Gap) {
		t := ProbeResult{Object: o}
		err := v.shared.source.Probe(v.ctx, o)
		t.Accepted = err == nil
		t.Rejection = apitext.RejectionFromError(err)
		if err == nil || t.Rejection != nil || IsObjectNotFound(err) {
			return t, nil
		}
		return t, []stuck.Gap{{Source: "the result of a dry run on " + o.RefInNamespace(), Error: apitext.ErrorMessage(err)}}
	})
}

// ServesDryRun reports whether a dry run of the type is sure to be one. The API
// server itself has known them since 1.12; a server behind an APIService may
// never have heard of them, and would do what it is asked.
func (v *View) ServesDryRun(t stuck.Type) bool {
	if stuck.IsBuiltInGroup(t.Group) {
		return true
	}
	api := v.APIService(t.Group, t.Version)
	if api.Found() && api.Value.Spec.Service == nil {
		return true
	}
	if api.Found() || api.Absent() {
		v.AddGaps(stuck.Gap{
			Source: "the result of a dry run on " + t.String(),
			Error:  "not sent: an extension API server serves the type and may carry it out",
		})
	}
	return false
}

// mayPatch reports whether the user may patch the object.
func (v *View) mayPatch(o stuck.Object) (allowed, known bool) {
	if v.mayPatchAllNamespaces(o.Type) {
		return true, true
	}
	for _, name := range []string{"", o.Name} {
		answer := memoizeWithGaps(v, fmt.Sprintf("may patch %s %s/%s", o.Type, o.Namespace, name), func() (Answer[bool], []stuck.Gap) {
			may, err := v.shared.source.MayPatch(v.ctx, o.Type, o.Namespace, name)
			if err != nil {
				return Answer[bool]{}, []stuck.Gap{{Source: "permission to patch " + o.TypeInNamespace(), Error: apitext.ErrorMessage(err)}}
			}
			return Answer[bool]{Value: &may}, nil
		})
		if !answer.Found() || *answer.Value {
			return answer.Found(), answer.Found()
		}
	}
	v.AddGaps(stuck.Gap{Source: "the result of a dry run on " + o.TypeInNamespace(), Error: "not sent: you have no permission to patch", ProbeSkipped: true})
	return false, true
}

// mayPatchAllNamespaces spares the question for each of many namespaces. False
// proves nothing about one namespace.
func (v *View) mayPatchAllNamespaces(t stuck.Type) bool {
	return v.mayPatchAllTypes() || v.coversManyNamespaces() && v.mayPatchEverywhere(t)
}

// mayPatchAllTypes spares the question for each of many types. False proves nothing about one type. A type that is denied
// nevertheless is a gap, since its dry run is forbidden.
func (v *View) mayPatchAllTypes() bool {
	return v.options.diagnosed.manyTypes && v.mayPatchEverywhere(stuck.Type{Group: "*", Version: "*", Resource: "*"})
}

func (v *View) mayPatchEverywhere(t stuck.Type) bool {
	return memoize(v, fmt.Sprintf("may patch %s everywhere", t), func() bool {
		may, err := v.shared.source.MayPatch(v.ctx, t, "", "")
		return err == nil && may
	})
}
