package e2e

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// A watch on the type is somebody who may yet act. There are two, as the first is taken for the garbage collector's,
// which comes to a new type within half a minute.
func TestOwnerWhoWatches(t *testing.T) {
	p := sharedPlane(t)
	gone := controllerScene{name: "watched-gone", crd: helmAnnotations, want: wantControllerGone()}
	idle := controllerScene{
		name: "watched-idle", around: deploymentManifest("op", "") + writeAccess(serviceAccountManifest("op")),
		want: wantExplanation{verdict: stuck.Blocked, causes: []string{"controller-not-watching"}, owners: []string{"Deployment NAME-system/op"}, alive: stuck.Running},
	}
	for _, s := range []controllerScene{gone, idle} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.run(t, p)
			startWatch(t, p, schema.GroupVersionResource{Group: s.named("NAME.example.org"), Version: "v1", Resource: "things"})
			s.want.verdict, s.want.causes = stuck.Unknown, []string{}
			s.waitFor(t, p, plane.Admin, s.want)
		})
	}
}

// startWatch keeps two informers on a type, as a controller of two replicas has.
func startWatch(t *testing.T, p *plane.Plane, gvr schema.GroupVersionResource) {
	t.Helper()
	config, err := p.Config(plane.Admin)
	if err != nil {
		t.Fatal(err)
	}
	client, err := metadata.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		factory := metadatainformer.NewSharedInformerFactory(client, 0)
		factory.ForResource(gvr).Informer()
		factory.Start(t.Context().Done())
		factory.WaitForCacheSync(t.Context().Done())
	}
}

// A user who may not read all that decides it never gets the verdict ControllerGone.
func TestOwnerSeenByFew(t *testing.T) {
	p := sharedPlane(t)
	s := controllerScene{name: "clue-few", crd: helmAnnotations}
	s.setUp(t, p)
	tenant := tenantOf(t, p, "clue-few-objects")
	runSetup(t, p, s.named(`
kubectl -n NAME-objects create role reader --verb=get,list --resource=things.NAME.example.org
kubectl -n NAME-objects create rolebinding reader --role=reader --user=`+tenant))
	if _, err := p.Viewer(t.Context()); err != nil {
		t.Fatal(err)
	}
	for user, gaps := range map[string][]string{
		plane.Viewer: {"/metrics", "secrets -n NAME-system"},
		tenant:       {"clusterroles.rbac.authorization.k8s.io", "customresourcedefinition/things.NAME.example.org"},
	} {
		t.Run(user, func(t *testing.T) {
			want := wantExplanation{verdict: stuck.Unknown, gaps: gaps}
			for _, f := range s.waitFor(t, p, user, want).Target.Diagnosis.Causes {
				if strings.HasPrefix(f.Cause, "controller-") {
					t.Errorf("it is said to be %s by somebody who cannot know", f.Cause)
				}
			}
		})
	}
	s.waitFor(t, p, plane.Admin, wantControllerGone())
}
