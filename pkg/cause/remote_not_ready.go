package cause

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// RemoteNotReady holds an object for which something has to be done in another cluster that
// is not connected. Which object stands for that cluster is the catalog's knowledge (remote).
var RemoteNotReady = kit.Cause{
	ID:    "remote-not-ready",
	Title: "The cluster in which the cleanup has to be done is not connected",
	Doc: kit.Doc{
		Symptoms: "The object stands for something in another cluster. The object that represents that cluster, such as a ManagedCluster or a Cluster of Karmada, is not available or not ready.",
		Why:      "The finalizer is removed after the cleanup in the other cluster. That cluster was shut down or deleted, its agent was uninstalled, or the agent lost its credentials or its connection.",
		Fix:      "Connect the other cluster again: the cleanup then finishes. If that cluster no longer exists, nothing is left to clean up in it, and the finalizer can be removed by force.",
		IfForced: "If the other cluster still exists, the objects in it are left behind.",
	},
	ControllerNext: true,
	ByEntry: func(view *cluster.View, known kit.KnownFinalizer) []stuck.Finding {
		if len(known.Entry.Remote) == 0 {
			return nil
		}
		content, ok := kit.Content(view, known.Object)
		if !ok {
			return nil
		}
		var out []stuck.Finding
		for _, remote := range known.Entry.Remote {
			if f, waits := remoteFinding(view, known, remote, content); waits {
				out = append(out, f)
			}
		}
		return out
	},
}

// remoteFinding is that the other cluster of an object exists and is not ready.
func remoteFinding(view *cluster.View, known kit.KnownFinalizer, remote catalog.Remote, content map[string]any) (stuck.Finding, bool) {
	t, served := view.TypeForKindOrGap(remote.Type.GroupKind())
	name := remote.NameIn(content)
	if !served || t.Namespaced || !kit.IsValidName(name) {
		return stuck.Finding{}, false
	}
	read := cluster.ReadSimilar[unstructured.Unstructured](view, t, "", name)
	if !read.Found() || remote.IsReady(read.Value.Object) {
		return stuck.Finding{}, false
	}
	other := stuck.Object{Type: t, Name: name}
	f := stuck.Finding{
		Message:   other.Ref() + " is not connected",
		BlockedBy: other.Culprit(),
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Explains:  []string{known.Finalizer},
		Evidence: append(notReadyLines(view, other, remote.Ready),
			fmt.Sprintf("%s removes the finalizer after the cleanup in that cluster", known.Entry.Project)),
		Steps:   []stuck.Step{remote.Connect},
		OnForce: stuck.UnknownCost(known.Finalizer),
	}
	f.Steps[0].Command = stuck.FillCommand(remote.Connect.Command, map[string]string{"remote": name})
	return f, true
}

// notReadyLines are the conditions of the other cluster that should be True.
func notReadyLines(view *cluster.View, other stuck.Object, ready []catalog.FieldValue) []string {
	var out []string
	for _, v := range ready {
		if v.Condition == "" {
			continue
		}
		line := fmt.Sprintf("%s has no condition %s", other.Ref(), v.Condition)
		for _, c := range view.Conditions(other).Items {
			if c.Type == v.Condition {
				line = fmt.Sprintf("condition %s of %s is %s (%s): %s", c.Type, other.Ref(), c.Status, c.Reason, apitext.Shorten(c.Message))
			}
		}
		out = append(out, line)
	}
	return out
}
