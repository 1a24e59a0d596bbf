package stuck_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func TestStuckAndAge(t *testing.T) {
	tests := map[string]struct {
		deleted         time.Time
		deleting, stuck bool
		age             time.Duration
	}{
		"nobody has deleted it":                    {},
		"its grace period ends in a second":        {deleted: now.Add(time.Second), deleting: true},
		"its grace period ends now":                {deleted: now, deleting: true, stuck: true},
		"it should have been gone three hours ago": {deleted: now.Add(-3 * time.Hour), deleting: true, stuck: true, age: 3 * time.Hour},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := stuck.Object{DeletionTime: test.deleted}
			if o.Deleting() != test.deleting || o.IsStuck(now) != test.stuck || o.StuckDuration(now) != test.age {
				t.Errorf("deleting %t, stuck %t, for %s; want %t, %t, %s",
					o.Deleting(), o.IsStuck(now), o.StuckDuration(now), test.deleting, test.stuck, test.age)
			}
		})
	}
}

func TestNamesOfTypes(t *testing.T) {
	tests := map[string]struct {
		of                stuck.Type
		one, many, object string
	}{
		"core": {
			of:  stuck.Type{Version: "v1", Resource: "pods", Kind: "Pod"},
			one: "pod", many: "pods", object: "pod/x",
		},
		"a group of Kubernetes without a domain": {
			of:  stuck.Type{Group: "apps", Version: "v1", Resource: "statefulsets", Kind: "StatefulSet"},
			one: "statefulset", many: "statefulsets.apps", object: "statefulset/x",
		},
		"a group of Kubernetes with one": {
			of:  stuck.Type{Group: "storage.k8s.io", Version: "v1", Resource: "volumeattachments", Kind: "VolumeAttachment"},
			one: "volumeattachment", many: "volumeattachments.storage.k8s.io", object: "volumeattachment/x",
		},
		"a custom type": {
			of:  widget,
			one: "widget.example.com", many: "widgets.example.com", object: "widget.example.com/x",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := []string{test.of.Singular(), test.of.String(), stuck.Object{Type: test.of, Name: "x"}.Ref()}
			if diff := cmp.Diff([]string{test.one, test.many, test.object}, got); diff != "" {
				t.Errorf("names (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBuiltInGroups(t *testing.T) {
	for group, want := range map[string]bool{
		"": true, "apps": true, "batch": true, "rbac.authorization.k8s.io": true, "apiregistration.k8s.io": true,
		"example.com": false, "apps.example.com": false, "metrics.k8s.io": false, "gateway.networking.k8s.io": false,
		"snapshot.storage.k8s.io": false, "cluster.x-k8s.io": false, "k8s.io": false,
	} {
		if got := stuck.IsBuiltInGroup(group); got != want {
			t.Errorf("group %q is built in: %t", group, got)
		}
	}
}

func TestCompareOrdersByNamespaceTypeAndName(t *testing.T) {
	object := func(namespace, group, resource, name string) stuck.Object {
		return stuck.Object{Namespace: namespace, Type: stuck.Type{Group: group, Resource: resource}, Name: name}
	}
	want := []stuck.Object{
		object("", "", "namespaces", "z"),
		object("a", "", "pods", "a"),
		object("a", "", "pods", "b"),
		object("a", "", "secrets", "a"),
		object("a", "apps", "deployments", "a"),
		object("b", "", "pods", "a"),
	}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, stuck.Compare)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestControllerIsTheOwnerThatManages(t *testing.T) {
	o := stuck.Object{Owners: []stuck.OwnerReference{{Name: "other"}, {Name: "manager", Controller: true}}}
	if got, ok := o.ControllerReference(); !ok || got.Name != "manager" {
		t.Errorf("the controller is %q, %t", got.Name, ok)
	}
	o.Owners = o.Owners[:1]
	if got, ok := o.ControllerReference(); ok {
		t.Errorf("an owner that does not manage is the controller: %q", got.Name)
	}
}

func TestCulpritIsNamedInFull(t *testing.T) {
	o := stuck.Object{Type: widget, Namespace: "shop", Name: "w1"}
	if got, want := o.Culprit().String(), "widget/w1 -n shop"; got != want {
		t.Errorf("the culprit is %q, not %q", got, want)
	}
	if got := (stuck.Culprit{Kind: "Node", Name: "edge-7"}).String(); got != "node/edge-7" {
		t.Errorf("a culprit without a namespace is %q", got)
	}
}

func TestPath(t *testing.T) {
	pod := stuck.Type{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true}
	node := stuck.Type{Version: "v1", Resource: "nodes", Kind: "Node"}
	widget := stuck.Type{Group: "example.com", Version: "v2", Resource: "widgets", Kind: "Widget", Namespaced: true}
	for want, got := range map[string]string{
		"/api/v1/pods":                                    pod.Path(""),
		"/api/v1/namespaces/shop/pods":                    pod.Path("shop"),
		"/api/v1/namespaces/shop/pods/web-0":              stuck.Object{Type: pod, Namespace: "shop", Name: "web-0"}.Path(),
		"/api/v1/nodes/n1/status":                         node.Path("", "n1", "status"),
		"/apis/example.com/v2/namespaces/shop/widgets/w1": widget.Path("shop", "w1"),
	} {
		if got != want {
			t.Errorf("the path is %s, want %s", got, want)
		}
	}
}

func TestNamesOfObject(t *testing.T) {
	widget := stuck.Type{Group: "example.com", Version: "v2", Resource: "widgets", Kind: "Widget", Namespaced: true}
	namespaced, clusterScoped := stuck.Object{Type: widget, Namespace: "shop", Name: "w1"}, stuck.Object{Type: widget, Name: "w1"}
	for want, got := range map[string]string{
		"widget.example.com/w1":                                    clusterScoped.RefInNamespace(),
		"widget.example.com/w1 -n shop":                            namespaced.RefInNamespace(),
		"widgets.example.com":                                      clusterScoped.TypeInNamespace(),
		"widgets.example.com -n shop":                              namespaced.TypeInNamespace(),
		"kubectl get widget.example.com/w1":                        clusterScoped.Command("get"),
		"kubectl finalizers explain widget.example.com/w1 -n shop": namespaced.Command("finalizers", "explain"),
	} {
		if got != want {
			t.Errorf("the text is %q, want %q", got, want)
		}
	}
}

// An object whose namespace does not fit the scope of its type is one of a custom type: all others keep their scope.
func TestIsOutOfScope(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		object stuck.Object
		want   bool
	}{
		"namespaced":                        {stuck.Object{Type: stuck.Type{Group: "example.com", Namespaced: true}, Namespace: "shop"}, false},
		"of the cluster":                    {stuck.Object{Type: stuck.Type{Group: "example.com"}}, false},
		"with a namespace, of the cluster":  {stuck.Object{Type: stuck.Type{Group: "example.com"}, Namespace: "shop"}, true},
		"without a namespace, namespaced":   {stuck.Object{Type: stuck.Type{Group: "example.com", Namespaced: true}}, true},
		"with a namespace, of a known type": {stuck.Object{Type: stuck.Type{Group: "apps"}, Namespace: "shop"}, false},
	} {
		if got := test.object.IsOutOfScope(); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}
