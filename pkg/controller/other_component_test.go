package controller_test

import (
	stdcmp "cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// controllerManifest is a Deployment that runs and may write all types of an API group.
func controllerManifest(namespace, name, container, group string) string {
	return strings.NewReplacer("NAMESPACE", namespace, "NAME", name, "CONTAINER", container, "GROUP", group).Replace(`
apiVersion: v1
kind: Namespace
metadata: {name: NAMESPACE}
---
apiVersion: apps/v1
kind: Deployment
metadata: {namespace: NAMESPACE, name: NAME, uid: uid-of-NAME}
spec: {selector: {matchLabels: {app: NAME}}, template: {metadata: {labels: {app: NAME}}, spec: {serviceAccountName: NAME, containers: [{name: CONTAINER}]}}}
status: {readyReplicas: 1}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: NAME}
rules: [{apiGroups: [GROUP], resources: ["*"], verbs: [get, list, watch, update, patch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: NAME}
roleRef: {kind: ClusterRole, name: NAME}
subjects: [{kind: ServiceAccount, namespace: NAMESPACE, name: NAME}]
---
`)
}

// stuckAt is an object that was deleted an hour ago, and what the API server has of it.
func stuckAt(t stuck.Type, finalizer, manager string) (stuck.Object, string) {
	o := stuck.Object{Type: t, Name: "it", UID: "uid-of-it", DeletionTime: now.Add(-time.Hour), Finalizers: []string{finalizer}}
	return o, fmt.Sprintf(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %s, creationTimestamp: "2020-01-01T00:00:00Z"}
---
apiVersion: %s/%s
kind: %s
metadata:
  name: it
  uid: uid-of-it
  managedFields: [{manager: %s, operation: Update, time: "2026-03-01T01:00:00Z", fieldsV1: {"f:metadata": {"f:finalizers": {'v:"%s"': {}}}}}]
---
`, t, t.Group, t.Version, t.Kind, manager, finalizer)
}

// What may write the type, or has set the finalizer, and is known to be something else than what removes it, is not
// called its controller; what is not known may be the same under another name.
func TestOtherComponents(t *testing.T) {
	awsCluster := stuck.Type{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta2", Resource: "awsclusters", Kind: "AWSCluster"}
	content := stuck.Type{Group: "snapshot.storage.k8s.io", Version: "v1", Resource: "volumesnapshotcontents", Kind: "VolumeSnapshotContent"}
	const awsFinalizer, contentFinalizer = "awscluster.infrastructure.cluster.x-k8s.io", "snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection"
	core := controllerManifest("capi-system", "capi-controller-manager", "manager", awsCluster.Group)
	snapshots := controllerManifest("kube-system", "snapshot-controller", "snapshot-controller", content.Group)
	for name, test := range map[string]struct {
		typ                stuck.Type
		finalizer, manager string
		around             string
		candidates, others []string
		notInstalled       string
	}{
		"another project's": {
			typ: awsCluster, finalizer: awsFinalizer, around: core, others: []string{"deployment/capi-controller-manager"},
			notInstalled: "Cluster API Provider AWS is not installed: none of its 2 usual workloads was found",
		},
		"another project's beside an unknown one": {
			typ: awsCluster, finalizer: awsFinalizer, around: core + controllerManifest("aws", "renamed", "manager", awsCluster.Group),
			candidates: []string{"deployment/renamed"}, others: []string{"deployment/capi-controller-manager"},
		},
		"another project's beside the one": {
			typ: awsCluster, finalizer: awsFinalizer, around: core + controllerManifest("capa-system", "capa-controller-manager", "manager", awsCluster.Group),
			candidates: []string{"deployment/capa-controller-manager"}, others: []string{"deployment/capi-controller-manager"},
		},
		"a name of another project's in a namespace that is not its": {
			typ: awsCluster, finalizer: awsFinalizer, around: controllerManifest("aws", "capi-controller-manager", "manager", awsCluster.Group),
			candidates: []string{"deployment/capi-controller-manager"},
		},
		"another part, which has set the finalizer": {
			typ: content, finalizer: contentFinalizer, manager: "snapshot-controller", around: snapshots, others: []string{"deployment/snapshot-controller"},
			notInstalled: "csi-snapshotter of CSI external-snapshotter is not installed: no container csi-snapshotter was found",
		},
		"the container of a driver": {
			typ: content, finalizer: contentFinalizer, manager: "snapshot-controller",
			around:     snapshots + controllerManifest("storage", "hostpath-driver", "csi-snapshotter", content.Group),
			candidates: []string{"deployment/hostpath-driver"}, others: []string{"deployment/snapshot-controller"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			o, manifests := stuckAt(test.typ, test.finalizer, stdcmp.Or(test.manager, "manager"))
			view := cluster.NewView(t.Context(), newFakeSource(t, manifests+test.around), []stuck.Type{test.typ}, nil)
			found := controller.Find(view, known(t), o, test.finalizer)
			var candidates, others []string
			for _, c := range found.Candidates {
				candidates = append(candidates, c.Ref())
			}
			for _, w := range found.OtherComponents {
				others = append(others, w.Ref())
			}
			want := []any{test.candidates, test.others, test.notInstalled}
			if diff := cmp.Diff(want, []any{candidates, others, found.NotInstalledText()}); diff != "" {
				t.Errorf("candidates, others and what is missing (-want +got):\n%s\nfacts: %v", diff, found.Facts)
			}
		})
	}
}

// That another project's controller watches the type does not mean that the one which is missing is there. More watches
// than that one can have are somebody's.
func TestWatchesOfOtherComponents(t *testing.T) {
	awsCluster := stuck.Type{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta2", Resource: "awsclusters", Kind: "AWSCluster"}
	const finalizer = "awscluster.infrastructure.cluster.x-k8s.io"
	o, manifests := stuckAt(awsCluster, finalizer, "manager")
	for open, want := range map[int]string{
		1: "Cluster API Provider AWS is not installed: none of its 2 usual workloads was found",
		2: "Cluster API Provider AWS is not installed: none of its 2 usual workloads was found; in doubt",
		3: "",
	} {
		source := newFakeSource(t, manifests+controllerManifest("capi-system", "capi-controller-manager", "manager", awsCluster.Group)+oneAPIServer)
		source.watches = []cluster.WatchCount{{Resource: "podtemplates", Open: 1}, {Group: awsCluster.Group, Resource: "awsclusters", Open: open}}
		view := cluster.NewView(t.Context(), source, []stuck.Type{awsCluster}, nil)
		got := ""
		found := controller.Find(view, known(t), o, finalizer)
		if abandoned, _, doubt := controller.IsAbandoned(view, found); abandoned {
			if got = found.NotInstalledText(); doubt != "" {
				got += "; in doubt"
			}
		}
		if got != want {
			t.Errorf("with %d watches: %q, want %q", open, got, want)
		}
	}
}

const oneAPIServer = `
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {namespace: default, name: kubernetes, labels: {kubernetes.io/service-name: kubernetes}}
addressType: IPv4
endpoints: [{addresses: [10.0.0.1]}]
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {namespace: kube-system, name: apiserver-1, labels: {apiserver.kubernetes.io/identity: kube-apiserver}}
spec: {renewTime: "2026-03-01T02:59:55.000000Z"}
---
`

// The server of an aggregated API stores the objects, and is not what removes their finalizers: it is not called their
// controller.
func TestServerOfAnAggregatedAPI(t *testing.T) {
	flunder := stuck.Type{Group: "wardle.example.com", Version: "v1alpha1", Resource: "flunders", Kind: "Flunder"}
	const finalizer = "wardle.example.com/hold"
	o, manifests := stuckAt(flunder, finalizer, "flunder-controller")
	_, manifests, _ = strings.Cut(manifests, "---\n") // no CRD defines it
	server := controllerManifest("wardle", "wardle-server", "server", "none.example.com") + `
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1alpha1.wardle.example.com}
spec: {group: wardle.example.com, version: v1alpha1, service: {namespace: wardle, name: api}}
---
apiVersion: v1
kind: Service
metadata: {namespace: wardle, name: api}
spec: {selector: {app: wardle-server}}
---
`
	view := cluster.NewView(t.Context(), newFakeSource(t, manifests+server), []stuck.Type{flunder}, nil)
	found := controller.Find(view, known(t), o, finalizer)
	if len(found.Candidates) > 0 {
		t.Errorf("its controller is said to be %v", found.Candidates)
	}
	if len(found.Setters) != 1 || !slices.ContainsFunc(found.Facts, func(fact string) bool {
		return strings.Contains(fact, "field manager flunder-controller set the finalizer")
	}) {
		t.Errorf("who set the finalizer is not named: %v", found.Facts)
	}
}

// A program watches every built-in type, so that watches do not tell whether what removes a finalizer there is gone. That none of its own
// types is served does; one that is, or that discovery could not read, is enough to say nothing.
func TestWhatHasNoTypesIsGone(t *testing.T) {
	account := stuck.Type{Version: "v1", Resource: "serviceaccounts", Kind: "ServiceAccount", Namespaced: true}
	installation := stuck.Type{Group: "operator.tigera.io", Version: "v1", Resource: "installations", Kind: "Installation"}
	const finalizer = "tigera.io/cni-protector"
	o, manifests := stuckAt(account, finalizer, "operator")
	_, manifests, _ = strings.Cut(strings.ReplaceAll(manifests, "/v1\n", "v1\n"), "---\n") // no CRD defines it, and it has no group
	operator := controllerManifest("tigera-operator", "tigera-operator", "tigera-operator", installation.Group)
	for name, test := range map[string]struct {
		types  []stuck.Type
		gaps   []stuck.Gap
		around string
		gone   bool
	}{
		"nothing is served":   {types: []stuck.Type{account}, gone: true},
		"its type is served":  {types: []stuck.Type{account, installation}},
		"another of it is":    {types: []stuck.Type{account, {Group: "policy.tigera.io", Version: "v1", Resource: "tiers", Kind: "Tier"}}},
		"discovery failed":    {types: []stuck.Type{account}, gaps: []stuck.Gap{cluster.DiscoveryGap(schema.GroupVersion{Group: installation.Group, Version: "v1"}, "it hangs")}},
		"another group fails": {types: []stuck.Type{account}, gaps: []stuck.Gap{cluster.DiscoveryGap(schema.GroupVersion{Group: "projectcalico.org", Version: "v3"}, "it hangs")}, gone: true},
		"it runs":             {types: []stuck.Type{account}, around: operator},
	} {
		t.Run(name, func(t *testing.T) {
			view := cluster.NewView(t.Context(), newFakeSource(t, manifests+test.around), test.types, test.gaps)
			found := controller.Find(view, known(t), o, finalizer)
			abandoned, _, doubt := controller.IsAbandoned(view, found)
			if abandoned != test.gone || test.gone && doubt == "" {
				t.Errorf("gone: %t (%q), want %t: %+v", abandoned, doubt, test.gone, found)
			}
		})
	}
}

// Where something that cannot be recognized may remove the finalizer too, it may run.
func TestWhatAnotherMayRemoveIsNotGone(t *testing.T) {
	const other = `area: networking
project: Acme
components:
- {name: operator, namespaces: [acme], workloads: [deployment/acme-operator]}
finalizers:
- pattern: acme.dev/guard-<name>
  example: acme.dev/guard-a
  types: [ServiceAccount, Widget.acme.dev]
  waitsFor: waits
  leak: Nothing
  leaves: nothing
  steps: [{action: check, description: look}]
  source: [{repository: acme/acme, path: a.go}]
`
	account := stuck.Type{Version: "v1", Resource: "serviceaccounts", Kind: "ServiceAccount", Namespaced: true}
	o, manifests := stuckAt(account, "acme.dev/guard-guard", "operator")
	_, manifests, _ = strings.Cut(strings.ReplaceAll(manifests, "/v1\n", "v1\n"), "---\n") // no CRD defines it, and it has no group
	agent := strings.NewReplacer("project: Acme", "project: Acme Agent", ", workloads: [deployment/acme-operator]", "", "guard-<name>", "<name>-guard", "guard-a", "a-guard").Replace(other)
	for files, gone := range map[string]bool{other: true, other + "---\n" + agent: false} {
		c, err := known(t).With(catalog.File{Name: "ours.yaml", Data: []byte(files)})
		if err != nil {
			t.Fatal(err)
		}
		view := cluster.NewView(t.Context(), newFakeSource(t, manifests), []stuck.Type{account}, nil)
		if abandoned, _, _ := controller.IsAbandoned(view, controller.Find(view, c, o, "acme.dev/guard-guard")); abandoned != gone {
			t.Errorf("gone: %t, with the catalog\n%s", abandoned, files)
		}
	}
}
