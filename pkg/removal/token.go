package removal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Token stands for the plan as it was shown: the cluster, each object in the
// state that was seen, the finalizers, the verdicts, what would be left behind,
// the flags that this takes, and the Events. A plan that differs in any of them
// has another.
func (p Plan) Token() string {
	type step struct {
		Resource, Namespace, Name, UID, Version string
		Finalizers, Spec                        []string
		Verdict                                 stuck.Verdict
		Cause                                   string
		Costs                                   []stuck.Cost
		Overrides                               []string
	}
	bound := struct {
		Server, Cluster string
		Steps           []step
		Events          []Request
	}{Server: p.Cluster.Server, Cluster: p.Cluster.UID}
	for _, s := range p.Steps {
		bound.Steps = append(bound.Steps, step{
			s.Object.Type.GVR().String(), s.Object.Namespace, s.Object.Name, string(s.Object.UID), s.Object.ResourceVersion,
			s.Finalizers, s.SpecFinalizers, s.Verdict, s.Cause, s.Costs, s.Overrides,
		})
	}
	for _, e := range p.Events {
		bound.Events = append(bound.Events, e.Request(e.SelectSteps(p.Steps), time.Time{}))
	}
	return digest(bound)
}

// RestoreToken stands for what restoring takes, as it was shown.
func RestoreToken(c Cluster, steps []RestoreStep) string {
	type step struct {
		Resource, UID, Version string
		Saved                  map[string]any
		Add                    []string
		Reason                 string
	}
	bound := struct {
		Server, Cluster string
		Steps           []step
	}{Server: c.Server, Cluster: c.UID}
	for _, s := range steps {
		bound.Steps = append(bound.Steps, step{
			s.Type.GVR().String(), string(s.Current.UID), s.Current.ResourceVersion, s.SavedCopy.Object.Object, s.Add, s.Reason,
		})
	}
	return digest(bound)
}

func digest(bound any) string {
	content, err := json.Marshal(bound)
	if err != nil {
		return "" // what was read as JSON can be written: an empty token fits nothing
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8])
}
