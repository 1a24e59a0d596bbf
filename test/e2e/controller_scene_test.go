package e2e

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// controllerScene is one object that is stuck with a finalizer, and what there is around it. In all its texts NAME stands for the
// name of the scene: the type is things.NAME.example.org, the object NAME-objects/it, and controllers run in NAME-system.
type controllerScene struct {
	name string
	// crd are labels and annotations of the type's definition, spec what its spec holds besides.
	crd, spec string
	// around is what else there is.
	around string
	// manager is the field manager that sets the finalizer, somebody with kubectl where it is empty.
	manager string
	// before is done before the object is deleted, rest thereafter.
	before, rest string

	want wantExplanation
}

// wantExplanation is what must be said of the scene.
type wantExplanation struct {
	verdict stuck.Verdict
	// causes are the findings, in any order; nil where they do not matter.
	causes []string
	// owners are the workloads that own the finalizers, as "Deployment NAME-system/op"; nil means that none is known.
	owners []string
	alive  stuck.RunState
	// clues, health and evidence are words that must be in a line of an owner's clues, of its health, of a finding's evidence.
	clues, health, evidence []string
	// gaps are sources that must be among the gaps.
	gaps []string
}

// explanation is what is read of an explanation.
type explanation struct {
	Target struct {
		Diagnosis report.ObjectDiagnosis
	}
	Gaps []report.Gap
}

const sceneType = `
apiVersion: v1
kind: Namespace
metadata: {name: NAME-objects}
---
apiVersion: v1
kind: Namespace
metadata: {name: NAME-system}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.NAME.example.org, CRD}
spec:
  group: NAME.example.org
  scope: Namespaced
  names: {plural: things, singular: thing, kind: Thing}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
  SPEC
---
`

const sceneObject = `
apiVersion: NAME.example.org/v1
kind: Thing
metadata: {name: it, namespace: NAME-objects, finalizers: [NAME.example.org/hold]}
`

// deploymentManifest is a Deployment in NAME-system with an account of its own, with more of its metadata, such as labels.
func deploymentManifest(deployment, more string) string {
	return strings.NewReplacer("DEPLOYMENT", deployment, "MORE", more).Replace(`
apiVersion: v1
kind: ServiceAccount
metadata: {name: DEPLOYMENT, namespace: NAME-system}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: DEPLOYMENT, namespace: NAME-system, MORE}
spec:
  replicas: 1
  selector: {matchLabels: {app: DEPLOYMENT}}
  template:
    metadata: {labels: {app: DEPLOYMENT}}
    spec:
      serviceAccountName: DEPLOYMENT
      containers: [{name: c, image: registry.example.com/x, command: [/bin/NAME-program]}]
---
`)
}

// writeAccess is a ClusterRole NAME, bound to subjects.
func writeAccess(subjects string) string {
	return `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: NAME}
rules:
- {apiGroups: [NAME.example.org], resources: [things], verbs: [get, list, watch, update, patch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: NAME}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: NAME}
subjects: [` + subjects + `]
---
`
}

func serviceAccountManifest(name string) string {
	return "{kind: ServiceAccount, namespace: NAME-system, name: " + name + "}"
}

// setUp makes the scene.
func (s controllerScene) setUp(t *testing.T, p *plane.Plane) {
	t.Helper()
	spec := strings.NewReplacer("CRD", s.crd, "SPEC", s.spec).Replace(sceneType)
	create := "kubectl create -f -"
	if s.manager != "" {
		create = "kubectl apply --server-side --field-manager=" + s.manager + " -f -"
	}
	runSetup(t, p, s.named("kubectl apply -f - <<'END'\n"+spec+s.around+"\nEND\n"+
		"kubectl wait crd/things.NAME.example.org --for=condition=Established --timeout=5m\n"+
		"for each in $(kubectl -n NAME-system get deployments -o name); do kubectl -n NAME-system rollout status $each --timeout=5m; done\n"+
		create+" <<'END'\n"+sceneObject+"\nEND\n"+s.before+
		"\nkubectl -n NAME-objects delete things.NAME.example.org/it --wait=false\n"+s.rest))
}

func (s controllerScene) named(text string) string { return strings.ReplaceAll(text, "NAME", s.name) }

// waitFor waits until what is said of the scene is what is wanted, and gives it.
func (s controllerScene) waitFor(t *testing.T, p *plane.Plane, user string, want wantExplanation) (got explanation) {
	t.Helper()
	eventually(t, func() (err error) {
		got, err = tryDocument[explanation](t, p, user, "explain", s.named("things.NAME.example.org/it"), "-n", s.named("NAME-objects"))
		return cmp.Or(err, want.diff(s.named, got))
	})
	return got
}

// run sets the scene and checks what is said of it.
func (s controllerScene) run(t *testing.T, p *plane.Plane) {
	t.Helper()
	s.setUp(t, p)
	got := s.waitFor(t, p, plane.Admin, s.want)
	if strings.Contains(fmt.Sprint(got), secretValue) {
		t.Error("it read what a Secret holds")
	}
}

// secretValue is what a Secret holds, and nobody is to see.
const secretValue = "do-not-read-me"

func (w wantExplanation) diff(named func(string) string, got explanation) error {
	var causes, owners, clues, health, evidence, gaps []string
	for _, f := range got.Target.Diagnosis.Causes {
		causes, evidence = append(causes, f.Cause), append(evidence, f.Evidence...)
	}
	for _, o := range got.Target.Diagnosis.Controllers {
		if o.Workload != nil {
			owners = append(owners, fmt.Sprintf("%s %s/%s", o.Workload.Kind, o.Workload.Namespace, o.Workload.Name))
			if w.alive != "" && o.Running != w.alive {
				return fmt.Errorf("%s is alive: %s", o.Workload, o.Running)
			}
		}
		clues, health = append(clues, o.Clues...), append(health, o.Health...)
	}
	for _, g := range got.Gaps {
		gaps = append(gaps, g.Source)
	}
	if verdict := got.Target.Diagnosis.Verdict; w.verdict != "" && verdict != w.verdict {
		return fmt.Errorf("the verdict is %s, not %s: %+v", verdict, w.verdict, got)
	}
	if slices.Sort(causes); w.causes != nil && !slices.Equal(causes, w.causes) {
		return fmt.Errorf("the causes are %q, not %q: %+v", causes, w.causes, got)
	}
	if want := strings.Split(named(strings.Join(w.owners, "\n")), "\n"); !slices.Equal(owners, want) && len(owners)+len(w.owners) > 0 {
		return fmt.Errorf("the owners are %q, not %q: %+v", owners, want, got.Target.Diagnosis.Controllers)
	}
	for _, each := range []struct {
		what       string
		want, have []string
	}{{"clues", w.clues, clues}, {"health", w.health, health}, {"evidence", w.evidence, evidence}, {"gaps", w.gaps, gaps}} {
		for _, words := range each.want {
			if !slices.ContainsFunc(each.have, func(line string) bool { return strings.Contains(line, named(words)) }) {
				return fmt.Errorf("the %s are without %q:\n%s", each.what, named(words), strings.Join(each.have, "\n"))
			}
		}
	}
	return nil
}
