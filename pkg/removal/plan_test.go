package removal_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func loadCatalog(t *testing.T) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// orphanedDiagnosis is an object whose finalizers no controller is left to remove, which
// would leave nothing behind.
func orphanedDiagnosis(t stuck.Type, finalizers ...string) *stuck.Diagnosis {
	t.Namespaced = true
	o := stuck.Object{
		Type: t, Namespace: "shop", Name: "web", UID: "1", ResourceVersion: "7",
		DeletionTime: time.Unix(1, 0), Finalizers: finalizers,
	}
	return stuck.NewDiagnosis(o, []stuck.Finding{{
		Message: "no controller is left", Verdict: stuck.ControllerGone, Explains: finalizers,
		OnForce: stuck.Cost{Leaves: stuck.LeakNothing, Description: "nothing"},
	}}, nil)
}

// TestNoCleanup holds that what the catalog knows to be no cleanup is not
// removed for the mere reason that no controller works on it.
func TestNoCleanup(t *testing.T) {
	c := loadCatalog(t)
	tried := map[catalog.Role]int{}
	for _, e := range c.Entries() {
		if e.Finalizer == "" || e.Types[0] == "*" {
			continue
		}
		kind, group, _ := strings.Cut(string(e.Types[0]), ".")
		d := orphanedDiagnosis(stuck.Type{Group: group, Version: "v1", Kind: kind, Resource: strings.ToLower(kind) + "s"}, e.Finalizer)
		if match := c.Lookup(e.Finalizer, catalog.Subject{Kind: kind, Group: group}); len(match.Entries) != 1 {
			continue // several programs use the name
		}
		tried[e.Role]++
		plan := removal.NewPlan([]*stuck.Diagnosis{d}, c, removal.Consent{})
		special := slices.Contains([]catalog.Role{catalog.RoleGuard, catalog.RoleKeep, catalog.RoleIntent, catalog.RoleCredentials}, e.Role)
		if refused := len(plan.Refusals) > 0; refused != special || refused == (len(plan.Steps) > 0) {
			t.Errorf("%s (%s): %d steps, refused: %v", e.Finalizer, e.Role, len(plan.Steps), plan.Refusals)
		}
		if special && plan.Refusals[0].Override != removal.FlagOverrideVerdict {
			t.Errorf("%s: %+v", e.Finalizer, plan.Refusals[0])
		}
		plan = removal.NewPlan([]*stuck.Diagnosis{d}, c, removal.Consent{OverrideVerdict: true})
		if len(plan.Steps) != 1 || slices.Contains(plan.Steps[0].Overrides, removal.FlagOverrideVerdict) != special {
			t.Errorf("%s: overridden, it makes %v", e.Finalizer, plan.Steps)
		}
	}
	for _, role := range []catalog.Role{catalog.RoleCleanup, catalog.RoleGuard, catalog.RoleKeep, catalog.RoleIntent, catalog.RoleCredentials} {
		if tried[role] == 0 {
			t.Errorf("no finalizer of role %s was tried", role)
		}
	}
}

func TestNamedTwice(t *testing.T) {
	d := orphanedDiagnosis(stuck.Type{Group: "example.com", Version: "v1", Kind: "Web", Resource: "webs"}, "example.com/a")
	if plan := removal.NewPlan([]*stuck.Diagnosis{d, d}, loadCatalog(t), removal.Consent{}); len(plan.Steps) != 1 {
		t.Errorf("it makes %d steps", len(plan.Steps))
	}
}

// TestWithoutUID holds that what no uid tells from another of its name is left alone.
func TestWithoutUID(t *testing.T) {
	d := orphanedDiagnosis(stuck.Type{Group: "example.com", Version: "v1", Kind: "Web", Resource: "webs"}, "example.com/a")
	d.Object.UID = ""
	plan := removal.NewPlan([]*stuck.Diagnosis{d}, loadCatalog(t), removal.Consent{OverrideVerdict: true, AcceptLeaks: true})
	if len(plan.Steps) != 0 || len(plan.Refusals) != 1 || !strings.Contains(plan.Refusals[0].Fix.Command, "kubectl edit web.example.com/web -n shop") {
		t.Errorf("it makes %d steps, and refuses %v", len(plan.Steps), plan.Refusals)
	}
}

// TestLiveObjectIsNotToBeDeleted holds that nothing suggests to delete what nobody has deleted.
func TestLiveObjectIsNotToBeDeleted(t *testing.T) {
	for name, object := range map[string]stuck.Object{
		"a namespace": {Type: stuck.Type{Version: "v1", Kind: "Namespace", Resource: "namespaces"}, Name: "default", UID: "1"},
		"an object":   {Type: stuck.Type{Group: "example.com", Version: "v1", Kind: "Web", Resource: "webs"}, Namespace: "shop", Name: "web", UID: "1", Finalizers: []string{"example.com/a"}},
	} {
		t.Run(name, func(t *testing.T) {
			plan := removal.NewPlan([]*stuck.Diagnosis{{Object: object}}, loadCatalog(t), removal.Consent{OverrideVerdict: true, AcceptLeaks: true, StrandContent: true})
			if len(plan.Steps) != 0 || len(plan.Refusals) != 1 {
				t.Fatalf("it makes %d steps, and refuses %v", len(plan.Steps), plan.Refusals)
			}
			r := plan.Refusals[0]
			if r.Reason != "it is not being deleted, so there is nothing to force" || strings.Contains(r.Fix.Command, "delete") {
				t.Errorf("it refuses with %v and suggests %v", r.Reason, r.Fix)
			}
		})
	}
}

func TestUnmatchedFinalizers(t *testing.T) {
	below := orphanedDiagnosis(stuck.Type{Version: "v1", Kind: "Web", Resource: "webs"}, "example.com/a")
	above := &stuck.Diagnosis{Object: stuck.Object{SpecFinalizers: []string{"kubernetes"}}, WaitsFor: []*stuck.Diagnosis{below}}
	names := []string{"example.com/a", "kubernetes", "example.com/b"}
	if got := removal.UnmatchedFinalizers([]*stuck.Diagnosis{above}, names); !slices.Equal(got, []string{"example.com/b"}) {
		t.Errorf("unmatched: %v", got)
	}
}

// TestToken holds that a token fits one plan.
func TestToken(t *testing.T) {
	of := func(change func(*removal.Plan)) string {
		d := orphanedDiagnosis(stuck.Type{Group: "example.com", Version: "v1", Kind: "Web", Resource: "webs"}, "example.com/a", "example.com/b")
		plan := removal.NewPlan([]*stuck.Diagnosis{d}, loadCatalog(t), removal.Consent{})
		plan.Cluster = removal.Cluster{Server: "https://one", UID: "1"}
		change(&plan)
		return plan.Token()
	}
	same := of(func(*removal.Plan) {})
	if same != of(func(*removal.Plan) {}) || len(same) != 16 {
		t.Errorf("the token %q is not the same twice", same)
	}
	for name, change := range map[string]func(*removal.Plan){
		"address":    func(p *removal.Plan) { p.Cluster.Server = "https://two" },
		"cluster":    func(p *removal.Plan) { p.Cluster.UID = "2" },
		"object":     func(p *removal.Plan) { p.Steps[0].Object.Name = "db" },
		"uid":        func(p *removal.Plan) { p.Steps[0].Object.UID = "2" },
		"state":      func(p *removal.Plan) { p.Steps[0].Object.ResourceVersion = "8" },
		"finalizers": func(p *removal.Plan) { p.Steps[0].Finalizers = p.Steps[0].Finalizers[:1] },
		"spec":       func(p *removal.Plan) { p.Steps[0].SpecFinalizers = []string{"kubernetes"} },
		"verdict":    func(p *removal.Plan) { p.Steps[0].Verdict = stuck.Blocked },
		"cause":      func(p *removal.Plan) { p.Steps[0].Cause = "another" },
		"leaks": func(p *removal.Plan) {
			p.Steps[0].Costs = []stuck.Cost{{Leaves: stuck.LeakExternal, Description: "a disk"}}
		},
		"flags": func(p *removal.Plan) { p.Steps[0].Overrides = []string{removal.FlagAcceptLeaks} },
		"events": func(p *removal.Plan) {
			p.Events = []removal.PlannedEvent{{InvolvedObject: p.Steps[0].Object, StepIndexes: []int{0}}}
		},
		"steps": func(p *removal.Plan) { p.Steps = nil },
	} {
		if of(change) == same {
			t.Errorf("the token does not bind the %s", name)
		}
	}
}

// What the catalog knows of a finalizer that no cause explains is asked for as if a cause had said so, and a doubt asks to
// override the verdict.
func TestConsentWithoutACause(t *testing.T) {
	c := loadCatalog(t)
	unexplained := orphanedDiagnosis(stuck.Type{Version: "v1", Kind: "Thing", Resource: "things"}, "example.com/snapshot")
	unexplained = stuck.NewDiagnosis(unexplained.Object, nil, nil)
	unexplained.SetKnown(map[string]stuck.KnownFinalizer{"example.com/snapshot": {IfForced: stuck.Cost{Leaves: stuck.LeakData, Description: "the snapshot"}}})
	doubted := orphanedDiagnosis(stuck.Type{Version: "v1", Kind: "Thing", Resource: "things"}, "example.com/hold")
	doubted.Findings[0].Doubt = "somebody may watch things"
	for _, test := range []struct {
		d       *stuck.Diagnosis
		consent removal.Consent
		reason  string
		flag    string
	}{
		{unexplained, removal.Consent{OverrideVerdict: true, AcceptLeaks: true}, "data would be lost: the snapshot", removal.FlagAcceptDataLoss},
		{doubted, removal.Consent{AcceptLeaks: true, AcceptDataLoss: true}, "Unknown: no controller is left, but somebody may watch things", removal.FlagOverrideVerdict},
	} {
		plan := removal.NewPlan([]*stuck.Diagnosis{test.d}, c, test.consent)
		if len(plan.Steps) > 0 || len(plan.Refusals) != 1 || plan.Refusals[0].Reason != test.reason || plan.Refusals[0].Override != test.flag {
			t.Errorf("%d steps, refused: %+v; want %q, %s", len(plan.Steps), plan.Refusals, test.reason, test.flag)
		}
	}
}

// TestFirstFix holds that a refusal names what changes something rather than what only reads, never a deletion, and sends
// nobody to an explanation that knows no more.
func TestFirstFix(t *testing.T) {
	step := func(action stuck.Action, command string) stuck.Step {
		return stuck.Step{Action: action, Description: "do " + string(action), Command: command}
	}
	check, change, remove := step(stuck.ActionCheck, "kubectl get x"), step(stuck.ActionChange, "kubectl scale x"), step(stuck.ActionDelete, "kubectl delete x")
	const explain = "kubectl finalizers explain web.example.com/web -n shop"
	for name, test := range map[string]struct {
		steps    []stuck.Step
		evidence []string
		want     stuck.Step
	}{
		"a change":            {[]stuck.Step{check, remove, change}, nil, change},
		"a check":             {[]stuck.Step{remove, check}, nil, check},
		"only deletions":      {[]stuck.Step{remove}, nil, stuck.Step{Action: stuck.ActionCheck, Description: "see the steps, which delete something", Command: explain}},
		"several lines":       {[]stuck.Step{step(stuck.ActionChange, "a\nb")}, nil, stuck.Step{Action: stuck.ActionChange, Description: "do change (this shows the command)", Command: explain}},
		"no steps":            {nil, []string{"service/x does not exist"}, stuck.Step{Action: stuck.ActionCheck, Description: "no step is known for this cause; its evidence: service/x does not exist"}},
		"nothing but a cause": {nil, nil, stuck.Step{Action: stuck.ActionCheck, Description: "see the cause", Command: explain}},
	} {
		d := orphanedDiagnosis(stuck.Type{Group: "example.com", Version: "v1", Kind: "Web", Resource: "webs"}, "example.com/a")
		d.Findings[0].Verdict, d.Findings[0].Steps, d.Findings[0].Evidence = stuck.Blocked, test.steps, test.evidence
		plan := removal.NewPlan([]*stuck.Diagnosis{d}, loadCatalog(t), removal.Consent{})
		if len(plan.Refusals) != 1 || plan.Refusals[0].Fix != test.want || plan.Refusals[0].Reason != "Blocked: no controller is left" {
			t.Errorf("%s: refused: %+v, want %+v", name, plan.Refusals, test.want)
		}
	}
}
