package owner

import (
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Alive says whether any suspect runs: yes if one does, no if none of them
// does, unknown if there is none or it could not be seen.
func (o Owner) Alive(see *cluster.View) stuck.Alive {
	alive := stuck.AliveUnknown
	for _, c := range o.Suspects {
		switch Examine(see, c.Workload).Alive {
		case stuck.AliveYes:
			return stuck.AliveYes
		case stuck.AliveNo:
			alive = stuck.AliveNo
		case stuck.AliveUnknown:
			return stuck.AliveUnknown
		}
	}
	return alive
}

// Document is the owner as it is printed: an entry for each suspect, or one
// that has none.
func (o Owner) Document(see *cluster.View) []stuck.Owner {
	if len(o.Suspects) == 0 {
		return []stuck.Owner{{
			Finalizer: o.Finalizer, Project: o.project(), Clues: o.background(), Alive: stuck.AliveUnknown, Health: []string{},
		}}
	}
	var out []stuck.Owner
	for _, c := range o.Suspects {
		health := Examine(see, c.Workload)
		culprit := c.Culprit()
		doc := stuck.Owner{
			Finalizer: o.Finalizer, Project: o.project(), Workload: &culprit, Certainty: stuck.Likely,
			Clues: c.Clues, Alive: health.Alive, Health: health.Says,
		}
		leads, _ := Leads(see, c.Workload)
		for _, l := range leads {
			doc.Health = append(doc.Health, l.Says)
		}
		out = append(out, doc)
	}
	return out
}

func (o Owner) project() string {
	for _, e := range o.Known.Entries {
		if o.Known.How != catalog.ByConvention {
			return e.Project
		}
	}
	return ""
}

// background is all that was found where no workload was.
func (o Owner) background() []string {
	lines := slices.Clone(o.Facts)
	for _, t := range o.Traces {
		lines = append(lines, t.Says)
	}
	for _, other := range o.Others {
		lines = append(lines, "it could be anything else that may act on it: "+other.Says)
	}
	return lines
}
