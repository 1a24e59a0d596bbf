package cluster_test

import (
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// What the flags do not say is not known: then nobody is told that the garbage collector deletes anything, nor that it
// does not.
func TestGarbageCollectorEnabled(t *testing.T) {
	binary := func(flags ...any) map[string]any {
		return map[string]any{"name": "kcm", "command": append([]any{"/usr/local/bin/kube-controller-manager"}, flags...)}
	}
	for name, test := range map[string]struct {
		containers     []map[string]any // each of a Pod of its own
		enabled, known bool
	}{
		"the defaults":                      {containers: []map[string]any{binary("--leader-elect=true")}, enabled: true, known: true},
		"every controller and one more":     {containers: []map[string]any{binary("--controllers=*,bootstrapsigner,tokencleaner")}, enabled: true, known: true},
		"every controller but this one":     {containers: []map[string]any{binary("--controllers=*,-garbage-collector-controller")}, known: true},
		"by the name before 1.28":           {containers: []map[string]any{binary("--controllers=-garbagecollector,*")}, known: true},
		"another controller alone":          {containers: []map[string]any{binary("--controllers=namespace-controller")}, known: true},
		"this controller alone":             {containers: []map[string]any{binary("--controllers", "garbage-collector-controller")}, enabled: true, known: true},
		"in two flags":                      {containers: []map[string]any{binary("--controllers=*", "--controllers=-garbagecollector")}, known: true},
		"its own flag":                      {containers: []map[string]any{binary("--enable-garbage-collector=false")}, known: true},
		"its own flag, on":                  {containers: []map[string]any{binary("--enable-garbage-collector")}, enabled: true, known: true},
		"behind a wrapper":                  {containers: []map[string]any{{"name": "kcm", "command": []any{"/go-runner", "--log-file=/x", "kube-controller-manager"}, "args": []any{"--enable-garbage-collector=0"}}}, known: true},
		"in a script":                       {containers: []map[string]any{{"name": "kcm", "command": []any{"sh", "-c", "exec kube-controller-manager --enable-garbage-collector=false"}}}},
		"no command":                        {containers: []map[string]any{{"name": "kube-controller-manager"}}},
		"no Pod, as in hosted clusters":     {},
		"several that agree":                {containers: []map[string]any{binary(), binary("--v=2")}, enabled: true, known: true},
		"several that do not agree":         {containers: []map[string]any{binary(), binary("--enable-garbage-collector=false")}},
		"several, one of which cannot tell": {containers: []map[string]any{binary(), {"name": "kcm"}}},
	} {
		var pods []map[string]any
		for _, c := range test.containers {
			pods = append(pods, map[string]any{"spec": map[string]any{"containers": []any{c}}})
		}
		answer := recording.Answer{Question: "list pods in kube-system with labels component=kube-controller-manager", Objects: pods}
		view := cluster.NewView(t.Context(), (&recording.Recording{Answers: []recording.Answer{answer}}).Source(nil), nil, nil)
		if enabled, known := view.GarbageCollectorEnabled(); enabled != test.enabled || known != test.known {
			t.Errorf("%s: enabled %t, known %t", name, enabled, known)
		}
	}
	view := cluster.NewView(t.Context(), (&recording.Recording{}).Source(nil), nil, nil)
	if _, known := view.GarbageCollectorEnabled(); known || len(view.Gaps()) == 0 {
		t.Error("a failed read is an answer")
	}
}

// Each controller is looked for by its own name and by the name before 1.28.
func TestBuiltInControllerEnabled(t *testing.T) {
	flags := "--controllers=*,-pvc-protection,-job-controller"
	pod := map[string]any{"spec": map[string]any{"containers": []any{map[string]any{"name": "kcm", "command": []any{"kube-controller-manager", flags, "--enable-garbage-collector=false"}}}}}
	answer := recording.Answer{Question: "list pods in kube-system with labels component=kube-controller-manager", Objects: []map[string]any{pod}}
	view := cluster.NewView(t.Context(), (&recording.Recording{Answers: []recording.Answer{answer}}).Source(nil), nil, nil)
	for c, want := range map[cluster.BuiltInController]bool{
		cluster.ClaimProtectionController: false, cluster.JobController: false, cluster.GarbageCollector: false,
		cluster.VolumeProtectionController: true, cluster.NamespaceController: true, cluster.ServiceCIDRController: true,
	} {
		if enabled, known := view.BuiltInControllerEnabled(c); enabled != want || !known {
			t.Errorf("with %s, %s: enabled %t, known %t", flags, c, enabled, known)
		}
	}
}

// A feature gate is set by the flags of all Pods together, or not at all.
func TestControllerManagerFeature(t *testing.T) {
	for name, test := range map[string]struct {
		pods    [][]any // the flags of each
		on, set bool
	}{
		"off":                    {pods: [][]any{{"--feature-gates=OtherGate=true,WatchListClient=false"}}, set: true},
		"on, in two words":       {pods: [][]any{{"--feature-gates", "WatchListClient=true"}}, on: true, set: true},
		"the last one counts":    {pods: [][]any{{"--feature-gates=WatchListClient=true", "--feature-gates=WatchListClient=false"}}, set: true},
		"another one":            {pods: [][]any{{"--feature-gates=WatchListClientOther=false", "--v=2"}}},
		"one of two Pods":        {pods: [][]any{{"--feature-gates=WatchListClient=false"}, {}}},
		"two that do not agree":  {pods: [][]any{{"--feature-gates=WatchListClient=false"}, {"--feature-gates=WatchListClient=true"}}},
		"no Pod, as when hosted": {},
	} {
		var pods []map[string]any
		for _, flags := range test.pods {
			pods = append(pods, map[string]any{"spec": map[string]any{"containers": []any{map[string]any{"command": append([]any{"kube-controller-manager"}, flags...)}}}})
		}
		answer := recording.Answer{Question: "list pods in kube-system with labels component=kube-controller-manager", Objects: pods}
		view := cluster.NewView(t.Context(), (&recording.Recording{Answers: []recording.Answer{answer}}).Source(nil), nil, nil)
		if on, set := view.ControllerManagerFeature("WatchListClient"); on != test.on || set != test.set {
			t.Errorf("%s: on %t, set %t", name, on, set)
		}
	}
}
