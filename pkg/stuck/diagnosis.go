package stuck

import "slices"

// Diagnosis is everything that was found out about one object.
type Diagnosis struct {
	Object   Object
	Verdict  Verdict
	Findings []Finding
	// Unexplained are the finalizers that no finding accounts for.
	Unexplained []string
	// Controllers are the controllers that should have removed the finalizers.
	Controllers []Controller
	// Known is what the catalog says of the finalizers, by their names.
	Known map[string]KnownFinalizer
	// WaitsFor are the diagnoses of the objects that have to go first. Owner
	// references may form a circle, and so may these.
	WaitsFor []*Diagnosis
	// NotRuledOut are the causes whose evidence could not be read.
	NotRuledOut []OpenCause
}

// NewDiagnosis is a diagnosis from findings alone; Conclude adds the verdict once
// the objects it waits for are linked.
func NewDiagnosis(o Object, findings []Finding, open []OpenCause) *Diagnosis {
	d := &Diagnosis{Object: o, Findings: findings, NotRuledOut: open}
	explaining := FindingsByFinalizer(findings)
	for _, name := range o.AllFinalizers() {
		if len(explaining[name]) == 0 {
			d.Unexplained = append(d.Unexplained, name)
		}
	}
	return d
}

// SetKnown adds what the catalog says of the finalizers.
func (d *Diagnosis) SetKnown(known map[string]KnownFinalizer) {
	d.Known = known
	d.useKnownCosts()
}

// Conclude works out the verdict of the diagnosis and of all that it waits
// for. What cannot be concluded is Unknown.
func (d *Diagnosis) Conclude() Verdict {
	if d.Verdict == "" {
		// The value that stands for an object which waits for itself.
		d.Verdict = Unknown
		d.Verdict = d.computeVerdict()
	}
	return d.Verdict
}

func (d *Diagnosis) computeVerdict() Verdict {
	switch {
	case len(d.Findings) == 0:
		return Unknown
	case slices.ContainsFunc(d.All(), (*Diagnosis).hasBlockedFinding):
		// Worth saying even when other finalizers are not understood. It is
		// asked of all at once so that a circle is judged alike from any side.
		return Blocked
	case len(d.Unexplained) > 0:
		return Unknown
	case len(d.WaitsFor) == 0 && !slices.ContainsFunc(d.Findings, func(f Finding) bool { return !f.IsLink() }):
		// It waits for an object that was not diagnosed.
		return Unknown
	}
	verdict := ControllerGone
	for _, f := range d.Findings {
		if !f.IsLink() {
			verdict = MoreCautious(verdict, f.Verdict)
		}
	}
	for _, w := range d.WaitsFor {
		verdict = MoreCautious(verdict, w.Conclude())
	}
	// A cause that could not be checked may be the one thing that can still
	// be fixed, or the one that is still at work.
	if verdict == ControllerGone && d.hasOpenCause() {
		return Unknown
	}
	return verdict
}

// hasOpenCause reports whether a cause could not be checked that would change a
// verdict ControllerGone. A dry run that was not sent leaves open only whether writes are
// rejected, which matters where a controller is left that might write.
func (d *Diagnosis) hasOpenCause() bool {
	needsProbe := slices.ContainsFunc(d.Findings, func(f Finding) bool {
		return f.Verdict == ControllerGone && !f.HoldsWithoutProbe || len(f.WaitsFor) > 0
	})
	return slices.ContainsFunc(d.NotRuledOut, func(o OpenCause) bool { return needsProbe || !o.ProbeSkipped })
}

// hasBlockedFinding reports whether something that can be fixed was found in the object
// itself.
func (d *Diagnosis) hasBlockedFinding() bool {
	return slices.ContainsFunc(d.Findings, func(f Finding) bool { return f.Verdict == Blocked })
}

// All is the diagnosis and all that it waits for, each once, the nearest
// first.
func (d *Diagnosis) All() []*Diagnosis {
	all := []*Diagnosis{d}
	seen := map[*Diagnosis]bool{d: true}
	for i := 0; i < len(all); i++ {
		for _, w := range all[i].WaitsFor {
			if !seen[w] {
				seen[w] = true
				all = append(all, w)
			}
		}
	}
	return all
}

// PrimaryFinding is the finding that the verdict on the object comes from.
func (d *Diagnosis) PrimaryFinding() (Finding, bool) { return d.FindingFor(d.Verdict) }

// FindingFor is the finding that a verdict on the object comes from: the first with
// that verdict. A verdict that follows from other objects, or from what is not
// known, comes from the first finding that says why the object is stuck. One that merely
// adds something, such as what the reader may not do, does not.
func (d *Diagnosis) FindingFor(verdict Verdict) (Finding, bool) {
	if f, ok := d.firstFinding(func(f Finding) bool { return !f.IsLink() && f.Verdict == verdict }); ok {
		return f, true
	}
	return d.firstFinding(Finding.isReason)
}

func (d *Diagnosis) firstFinding(matches func(Finding) bool) (Finding, bool) {
	i := slices.IndexFunc(d.Findings, matches)
	if i < 0 {
		return Finding{}, false
	}
	return d.Findings[i], true
}
