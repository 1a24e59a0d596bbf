package catalog

import (
	"slices"
	"strings"
	"testing"
)

func subjectOf(kind, group string) Subject { return Subject{Kind: kind, Group: group} }

func TestLookupTellsOwnersApart(t *testing.T) {
	c := load(t)
	for _, want := range []struct {
		name    string
		on      Subject
		how     MatchMethod
		project string
		removes string
	}{
		{"kubernetes.io/pvc-protection", subjectOf("PersistentVolumeClaim", ""), Exact, "Kubernetes", "controller-manager"},
		{"cns.vmware.com/pvc-protection", subjectOf("PersistentVolumeClaim", ""), Exact, "vSphere CSI driver", "syncer"},
		{"replication.storage.openshift.io/pvc-protection", subjectOf("PersistentVolumeClaim", ""), Exact, "CSI-Addons", "controller"},
		{"kubevirt.io/foregroundDeleteVirtualMachine", subjectOf("VirtualMachineInstance", "kubevirt.io"), Exact, "KubeVirt", "virt-controller"},
		{"foregroundDeletion", subjectOf("Deployment", "apps"), Exact, "Kubernetes", "controller-manager"},
		{"foregroundDeleteNodeMaintenance", subjectOf("NodeMaintenance", "nodemaintenance.medik8s.io"), Exact, "Node Maintenance Operator (medik8s)", "controller"},
		{"service.k8s.aws/resources", subjectOf("Service", ""), Exact, "AWS Load Balancer Controller", "controller"},
		{"gateway.k8s.aws/resources", subjectOf("Gateway", "gateway.networking.k8s.io"), Exact, "AWS Gateway API Controller (VPC Lattice)", "controller"},
		{"gateway.k8s.aws/alb", subjectOf("Gateway", "gateway.networking.k8s.io"), Exact, "AWS Load Balancer Controller", "controller"},
		{"finalizers.fluxcd.io", subjectOf("HelmRelease", "helm.toolkit.fluxcd.io"), Exact, "Flux", "helm-controller"},
		{"finalizers.fluxcd.io", subjectOf("Kustomization", "kustomize.toolkit.fluxcd.io"), Exact, "Flux", "kustomize-controller"},
		{"finalizers.fluxcd.io", subjectOf("GitRepository", "source.toolkit.fluxcd.io"), Exact, "Flux", "source-controller"},
		{"percona.com/delete-ssl", subjectOf("PerconaServerMySQL", "ps.percona.com"), Exact, "Percona Operator for MySQL (Server)", "operator"},
		{"cephblockpool.ceph.rook.io", subjectOf("CephBlockPool", "ceph.rook.io"), ByPattern, "Rook", "operator"},
		{"finalizers.s3.services.k8s.aws/Bucket", subjectOf("Bucket", "s3.services.k8s.aws"), ByPattern, "AWS Controllers for Kubernetes (ACK)", "controller"},
		{"deletion.finalizers.queues.rabbitmq.com", subjectOf("Queue", "rabbitmq.com"), ByPattern, "RabbitMQ Messaging Topology Operator", "operator"},
		{"deletion.finalizers.rabbitmqclusters.rabbitmq.com", subjectOf("RabbitmqCluster", "rabbitmq.com"), Exact, "RabbitMQ Cluster Operator", "operator"},
		{"controller-policy", subjectOf("Policy", "redhatcop.redhat.io"), ByPattern, "Vault Config Operator", "controller"},
	} {
		match := c.Lookup(want.name, want.on)
		if match.How != want.how || len(match.Entries) != 1 {
			t.Errorf("%s on %s is known %s with %d entries, want %s with one",
				want.name, want.on.Kind, match.How, len(match.Entries), want.how)
			continue
		}
		entry := match.Entries[0]
		if entry.Project != want.project || entry.Component.Name != want.removes || match.OtherType {
			t.Errorf("%s on %s belongs to %s, %s (other type: %v); want %s, %s", want.name, want.on.Kind,
				entry.Project, entry.Component.Name, match.OtherType, want.project, want.removes)
		}
	}
}

func TestLookupWithoutATypeGivesEveryOwner(t *testing.T) {
	match := load(t).Lookup("finalizers.fluxcd.io", Subject{})
	if len(match.Entries) != 6 || match.OtherType {
		t.Errorf("found %d entries, other type %v; want all six", len(match.Entries), match.OtherType)
	}
}

func TestLookupOnAnotherTypeSaysSo(t *testing.T) {
	c := load(t)
	match := c.Lookup("kubernetes.io/pvc-protection", subjectOf("Widget", "example.com"))
	if match.How != Exact || !match.OtherType {
		t.Errorf("known %s, other type %v; want exact on another type", match.How, match.OtherType)
	}
	// A bare pattern's name is too common a word to count on a type that it does not list.
	if match := c.Lookup("controller-cleanup", subjectOf("Widget", "example.com")); match.How != Unknown {
		t.Errorf("controller-cleanup on a Widget is known %s, want unknown", match.How)
	}
}

func TestMarkersLeaveTheOwnerToTheType(t *testing.T) {
	c := load(t)
	for _, name := range []string{
		"kopf.zalando.org/KopfFinalizerMarker", "uninstall-helm-release", "finalizer.managedresource.crossplane.io",
		"controller.cattle.io/some-controller",
	} {
		match := c.Lookup(name, subjectOf("Widget", "example.com"))
		if !match.Known() || match.Entries[0].IdentifiesController() || match.BelongsTo != "example.com" {
			t.Errorf("%s is known %s with owner %q; want a marker that leaves it to example.com",
				name, match.How, match.BelongsTo)
		}
	}
}

func TestGuardsAndOptionsAreToldFromCleanups(t *testing.T) {
	c := load(t)
	for name, role := range map[string]Role{
		"ceph.rook.io/disaster-protection": RoleKeep,
		"percona.com/delete-pxc-pvc":       RoleOption,
		"orphan":                           RoleIntent,
		"in-use.crossplane.io":             RoleCredentials,
		"kubernetes.io/pvc-protection":     RoleGuard,
		"service.k8s.aws/resources":        RoleCleanup,
	} {
		if match := c.Lookup(name, Subject{}); match.Entries[0].Role != role {
			t.Errorf("%s has role %s, want %s", name, match.Entries[0].Role, role)
		}
	}
}

func TestWayOutFillsInTheObject(t *testing.T) {
	c := load(t)
	match := c.Lookup("cephblockpool.ceph.rook.io", subjectOf("CephBlockPool", "ceph.rook.io"))
	command := match.Resolution("rook-ceph", "replicapool")[0].Command
	if !strings.HasPrefix(command, "kubectl -n rook-ceph get cephblockpool.ceph.rook.io replicapool ") {
		t.Errorf("the first step is %q", command)
	}
	match = c.Lookup("finalizer.managedresource.crossplane.io", Subject{Resource: "buckets", Group: "s3.aws.upbound.io"})
	if command := match.Resolution("", "b1")[0].Command; command != "kubectl describe buckets.s3.aws.upbound.io b1" {
		t.Errorf("the first step is %q", command)
	}
}

func TestNameThatHoldsAKindNeedsNoType(t *testing.T) {
	c := load(t)
	for name, kind := range map[string]Type{"cephcluster.ceph.rook.io": "CephCluster.ceph.rook.io", "cephnfs.ceph.rook.io": "CephNFS.ceph.rook.io"} {
		match := c.Lookup(name, Subject{})
		if len(match.Entries) != 1 || !slices.Contains(match.Entries[0].Types, kind) {
			t.Errorf("%s is answered by %d entries, want the one of %s", name, len(match.Entries), kind)
		}
	}
	if match := c.Lookup("other.ceph.rook.io", Subject{}); len(match.Entries) != 2 {
		t.Errorf("a kind that no entry lists is answered by %d entries, want both", len(match.Entries))
	}
}

func TestParametersNameTheirTarget(t *testing.T) {
	match := load(t).Lookup("cleanup.vgmanager.node.topolvm.io/worker-7", subjectOf("LVMVolumeGroup", "lvm.topolvm.io"))
	if match.Params["node-name"] != "worker-7" || match.Entries[0].Names["node-name"] != "Node" {
		t.Errorf("took %v, which name %v; want worker-7, a Node", match.Params, match.Entries[0].Names)
	}
}

func BenchmarkLookup(b *testing.B) {
	c := load(b)
	subject := Subject{
		Kind: "Widget", Group: "shop.example.com", Resource: "widgets", Managers: []string{"widget-operator"},
		Groups: []string{"apps", "batch", "cert-manager.io"}, CRDs: []string{"certificates.cert-manager.io"},
	}
	for _, name := range []string{
		"service.k8s.aws/resources", "cephblockpool.ceph.rook.io", "shop.example.com/cleanup", "no.such.name/at-all",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				c.Lookup(name, subject)
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := Load(); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzLookup(f *testing.F) {
	c := load(f)
	for _, seed := range []string{"", "/", "a/b", "<x>", "kubernetes.io/pvc-protection", "x.ceph.rook.io", "é/ü", ".."} {
		f.Add(seed, "Widget", "widgets", "example.com", "manager")
	}
	f.Fuzz(func(t *testing.T, name, kind, resource, group, manager string) {
		subject := Subject{
			Kind: kind, Resource: resource, Group: group, Managers: []string{manager}, Groups: []string{group, name},
			CRDs: []string{resource + "." + group, name},
		}
		match := c.Lookup(name, subject)
		if match.How != Unknown && match.How != ByConvention && len(match.Entries) == 0 {
			t.Errorf("%q is known %s without an entry", name, match.How)
		}
		if match.How == ByConvention && (match.Reason == "" || match.Convention == "") {
			t.Errorf("%q is known by convention without a reason", name)
		}
		match.Resolution(group, name)
		c.Similar(name, 5)
		c.Search(name)
	})
}

// A step that reads the logs of the controller is marked, and no other is.
func TestLogsAreMarked(t *testing.T) {
	logs := 0
	for _, step := range load(t).Lookup("karpenter.sh/termination", subjectOf("NodeClaim", "karpenter.sh")).Resolution("", "n1") {
		if step.ReadsLogs != strings.Contains(step.Command, " logs ") {
			t.Errorf("of %q it is said that it reads logs: %t", step.Command, step.ReadsLogs)
		}
		if step.ReadsLogs {
			logs++
		}
	}
	if logs != 1 {
		t.Errorf("%d steps read logs, not 1", logs)
	}
}

// What works without types of its own, or on types of any group, is not tied to a domain.
func TestOwnDomain(t *testing.T) {
	for finalizer, want := range map[string]string{
		"tigera.io/cni-protector": "tigera.io", "openstack.org/mariadbaccount": "openstack.org", "karpenter.sh/termination": "karpenter.sh",
		"external-provisioner.volume.kubernetes.io/finalizer": "", "kopf.zalando.org/KopfFinalizerMarker": "", "service.k8s.aws/resources": "",
		"kubernetes.io/pvc-protection": "",
	} {
		for _, e := range load(t).Lookup(finalizer, Subject{}).Entries {
			if got := e.OwnDomain(); got != want {
				t.Errorf("%s is tied to %q, want %q", finalizer, got, want)
			}
		}
	}
}
