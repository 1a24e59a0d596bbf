package sweep

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// What speaks for an object outweighs an annotation that has expired.
func TestJudge(t *testing.T) {
	created := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	namespaces := stuck.Type{Version: "v1", Resource: "namespaces", SingularName: "namespace", Kind: "Namespace"}
	const past = "2020-01-01"
	for name, test := range map[string]struct {
		meta metav1.ObjectMeta
		want Action
	}{
		"expired":               {metav1.ObjectMeta{Name: "a", Annotations: map[string]string{janitorExpires: past}}, Delete},
		"expired and never":     {metav1.ObjectMeta{Name: "a", Annotations: map[string]string{janitorExpires: past, janitorTTL: "0s"}}, Keep},
		"never and expired":     {metav1.ObjectMeta{Name: "a", Annotations: map[string]string{janitorTTL: "0s", twinTTL: "1s"}}, Keep},
		"expired and alive":     {metav1.ObjectMeta{Name: "a", Annotations: map[string]string{janitorTTL: "1s", janitorExpires: "2030-01-01"}}, Keep},
		"alive and expired":     {metav1.ObjectMeta{Name: "a", Annotations: map[string]string{janitorTTL: "4w", twinTTL: "1s"}}, Keep},
		"expired and in use":    {metav1.ObjectMeta{Name: "a", Annotations: map[string]string{janitorExpires: past, openshiftSoftTTL: "2h"}}, Keep},
		"hard limit and in use": {metav1.ObjectMeta{Name: "a", CreationTimestamp: metav1.NewTime(created.Add(-time.Hour)), Annotations: map[string]string{openshiftHardTTL: "90m", openshiftSoftTTL: "3h"}}, Delete},
		"idle before its limit": {metav1.ObjectMeta{Name: "a", CreationTimestamp: metav1.NewTime(created.Add(-4 * time.Hour)), Annotations: map[string]string{openshiftHardTTL: "72h", openshiftSoftTTL: "2h"}}, Delete},
		"expired before limit":  {metav1.ObjectMeta{Name: "a", Annotations: map[string]string{janitorExpires: past, openshiftHardTTL: "72h"}}, Keep},
		"before its limit":      {metav1.ObjectMeta{Name: "a", Annotations: map[string]string{openshiftHardTTL: "72h"}}, Keep},
		"in use":                {metav1.ObjectMeta{Name: "a", Annotations: map[string]string{openshiftSoftTTL: "2h"}}, Keep},
		"no creation":           {metav1.ObjectMeta{Name: "a", CreationTimestamp: metav1.Time{}, Annotations: map[string]string{janitorTTL: "1s"}}, Keep},
		"the namespace itself":  {metav1.ObjectMeta{Name: "tools", Annotations: map[string]string{janitorExpires: past}}, Keep},
		"kube-":                 {metav1.ObjectMeta{Name: "kube-flannel", Annotations: map[string]string{janitorExpires: past}}, Keep},
		"openshift-":            {metav1.ObjectMeta{Name: "openshift-dns", Annotations: map[string]string{janitorExpires: past}}, Keep},
		"created in the future": {metav1.ObjectMeta{Name: "a", CreationTimestamp: metav1.NewTime(created.Add(9 * time.Hour)), Annotations: map[string]string{janitorTTL: "1s"}}, Keep},
	} {
		m := test.meta
		if m.CreationTimestamp.IsZero() && name != "no creation" {
			m.CreationTimestamp = metav1.NewTime(created)
		}
		s := Selector{Annotations: DefaultAnnotations, OwnNamespace: "tools"}
		if item, ok := s.Judge(t.Context(), podSource{now: created.Add(time.Hour)}, namespaces, m); !ok || item.Action != test.want {
			t.Errorf("%s: %+v", name, item)
		}
	}
}

// TestSystemIsKept holds that what Kubernetes creates itself is kept, whatever its labels and annotations, and does not count for --max-percent.
func TestSystemIsKept(t *testing.T) {
	created := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	priorityClasses := stuck.Type{Group: "scheduling.k8s.io", Version: "v1", Resource: "priorityclasses", Kind: "PriorityClass"}
	flowSchemas := stuck.Type{Group: "flowcontrol.apiserver.k8s.io", Version: "v1", Resource: "flowschemas", Kind: "FlowSchema"}
	serviceCIDRs := stuck.Type{Group: "networking.k8s.io", Version: "v1", Resource: "servicecidrs", Kind: "ServiceCIDR"}
	addresses := stuck.Type{Group: "networking.k8s.io", Version: "v1", Resource: "ipaddresses", Kind: "IPAddress"}
	projects := stuck.Type{Group: "example.com", Version: "v1", Resource: "projects", Kind: "Project"}
	for _, test := range []struct {
		typ  stuck.Type
		meta metav1.ObjectMeta
		want Action
	}{
		{cluster.NamespaceType, metav1.ObjectMeta{Name: "default"}, Keep},
		{cluster.NamespaceType, metav1.ObjectMeta{Name: "openshift"}, Keep},
		{cluster.NamespaceType, metav1.ObjectMeta{Name: "openshift-dns"}, Keep},
		{cluster.NamespaceType, metav1.ObjectMeta{Name: "kube-system"}, Keep},
		{cluster.NamespaceType, metav1.ObjectMeta{Name: "kubernetes"}, Delete},
		{cluster.NamespaceType, metav1.ObjectMeta{Name: "system-tests"}, Delete},
		{cluster.ConfigMapType, metav1.ObjectMeta{Namespace: "kube-system", Name: "a"}, Keep},
		{cluster.ConfigMapType, metav1.ObjectMeta{Namespace: "shop", Name: "system:a"}, Delete},
		{cluster.ClusterRoleType, metav1.ObjectMeta{Name: "cluster-admin", Labels: map[string]string{"kubernetes.io/bootstrapping": "rbac-defaults"}}, Keep},
		{cluster.ClusterRoleType, metav1.ObjectMeta{Name: "system:node"}, Keep},
		{cluster.ClusterRoleType, metav1.ObjectMeta{Name: "kube-state-metrics"}, Delete},
		{stuck.Type{Group: "certificates.k8s.io", Version: "v1beta1", Resource: "clustertrustbundles", Kind: "ClusterTrustBundle"}, metav1.ObjectMeta{Name: "kubernetes.io:kube-apiserver-serving:f994"}, Keep},
		{priorityClasses, metav1.ObjectMeta{Name: "system-node-critical"}, Keep},
		{flowSchemas, metav1.ObjectMeta{Name: "probes", Annotations: map[string]string{"apf.kubernetes.io/autoupdate-spec": "false"}}, Keep},
		{cluster.APIServiceType, metav1.ObjectMeta{Name: "v1.apps", Labels: map[string]string{"kube-aggregator.kubernetes.io/automanaged": "onstart"}}, Keep},
		{cluster.APIServiceType, metav1.ObjectMeta{Name: "v1.example.com"}, Delete},
		{serviceCIDRs, metav1.ObjectMeta{Name: "kubernetes"}, Keep},
		{serviceCIDRs, metav1.ObjectMeta{Name: "more"}, Delete},
		{addresses, metav1.ObjectMeta{Name: "10.0.0.1", Labels: map[string]string{"ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io"}}, Keep},
		{cluster.NodeType, metav1.ObjectMeta{Name: "worker-1"}, Keep},
		{cluster.CSINodeType, metav1.ObjectMeta{Name: "worker-1"}, Keep},
		{projects, metav1.ObjectMeta{Name: "default"}, Delete},
	} {
		test.meta.CreationTimestamp = created
		s := Selector{Labels: "a=b"}
		source := podSource{now: created.Add(time.Hour)}
		item, _ := s.Judge(t.Context(), source, test.typ, test.meta)
		if item.Action != test.want || (test.want == Keep) != (item.Reason == "it is of the system") {
			t.Errorf("%s %s: %s, %s", test.typ, test.meta.Name, item.Action, item.Reason)
		}
		if test.typ.Namespaced {
			continue
		}
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&metav1.PartialObjectMetadata{ObjectMeta: test.meta})
		if err != nil {
			t.Fatal(err)
		}
		source.pods = []map[string]any{content}
		if n, err := s.Count(t.Context(), source, test.typ); err != nil || (n == 0) != (test.want == Keep) {
			t.Errorf("%s %s is counted as %d: %v", test.typ, test.meta.Name, n, err)
		}
	}
}

// A namespace is deleted with all that is in it, and so it is kept with an object that is kept.
func TestKeepNamespaces(t *testing.T) {
	namespaces := stuck.Type{Version: "v1", Resource: "namespaces", SingularName: "namespace", Kind: "Namespace"}
	configMaps := stuck.Type{Version: "v1", Resource: "configmaps", SingularName: "configmap", Kind: "ConfigMap", Namespaced: true}
	items := []Item{
		{Object: object(namespaces, "", "a"), Action: Delete},
		{Object: object(namespaces, "", "b"), Action: Delete},
		{Object: object(configMaps, "a", "c"), Action: Keep, Unread: true},
		{Object: object(configMaps, "b", "c"), Action: Delete},
	}
	KeepNamespaces(items)
	if items[0].Action != Keep || items[0].Reason != "configmap/c in it is kept" || !items[0].Unread || items[1].Action != Delete {
		t.Errorf("%+v", items)
	}
}

// One description stands for one selection, however it is written.
func TestDescribe(t *testing.T) {
	namespaces := stuck.Type{Version: "v1", Resource: "namespaces", SingularName: "namespace", Kind: "Namespace"}
	configMaps := stuck.Type{Version: "v1", Resource: "configmaps", SingularName: "configmap", Kind: "ConfigMap", Namespaced: true}
	both, reversed := []stuck.Type{namespaces, configMaps}, []stuck.Type{configMaps, namespaces}
	a := Selector{Namespace: "shop", Labels: "b in (y,x),a=1", Annotations: DefaultAnnotations, OlderThan: time.Hour}
	b := a
	b.Labels = "a=1, b in (x, y)"
	if a.Describe(both) != b.Describe(reversed) {
		t.Errorf("%s is not %s", a.Describe(both), b.Describe(reversed))
	}
	seen := map[string]bool{}
	for _, s := range []Selector{a, {Labels: "a=1"}, {Labels: "a=1", Namespace: "shop"}, {Labels: "a=1", OlderThan: time.Hour}, {Annotations: []string{"k"}, NeedsAnnotation: true}, {}} {
		seen[s.Describe(both)] = true
	}
	if len(seen) != 6 {
		t.Errorf("different selections have one description: %v", seen)
	}
}

// Labels that only say what is kept select nearly everything.
func TestSelectsByAbsence(t *testing.T) {
	for selector, want := range map[string]bool{
		"": false, "!keep": true, "env!=prod": true, "env notin (prod)": true, "!keep,env!=prod": true,
		"env": false, "env=preview": false, "env in (a,b)": false, "env=preview,!keep": false, "build>3,!keep": false,
	} {
		if got := (Selector{Labels: selector}).SelectsByAbsence(); got != want {
			t.Errorf("%q: %t", selector, got)
		}
	}
}

// A sweep does not delete what it remembers.
func TestKeepsState(t *testing.T) {
	s := Selector{Labels: "a=b", State: types.NamespacedName{Namespace: "ci", Name: "sweep"}}
	created := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	configMaps := stuck.Type{Version: "v1", Resource: "configmaps", SingularName: "configmap", Kind: "ConfigMap", Namespaced: true}
	namespaces := stuck.Type{Version: "v1", Resource: "namespaces", SingularName: "namespace", Kind: "Namespace"}
	for _, test := range []struct {
		typ             stuck.Type
		namespace, name string
		want            Action
	}{{configMaps, "ci", "sweep", Keep}, {configMaps, "ci", "other", Delete}, {namespaces, "", "ci", Keep}, {namespaces, "", "sweep", Delete}} {
		m := metav1.ObjectMeta{Namespace: test.namespace, Name: test.name, CreationTimestamp: created}
		if item, ok := s.Judge(t.Context(), podSource{now: created.Add(time.Hour)}, test.typ, m); !ok || item.Action != test.want {
			t.Errorf("%+v", item)
		}
	}
}
