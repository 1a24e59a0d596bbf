package plane_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// TestTwoAtOnce starts two planes at the same time and tries on one of them what does not disturb others.
func TestTwoAtOnce(t *testing.T) {
	planes, failures := make([]*plane.Plane, 2), make([]error, 2)
	var group sync.WaitGroup
	for i := range planes {
		options := plane.Options{Dir: filepath.Join(t.TempDir(), "plane"), Kwok: i == 0}
		group.Go(func() { planes[i], failures[i] = plane.Start(t.Context(), options) })
	}
	group.Wait()
	for i, err := range failures {
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { closePlane(t, planes[i]) })
	}
	t.Run("they are two", func(t *testing.T) { testSeparate(t, planes[0], planes[1]) })
	t.Run("a pod runs", func(t *testing.T) { testPodRuns(t, planes[0]) })
	t.Run("tenant", func(t *testing.T) { testTenant(t, planes[0]) })
	t.Run("viewer", func(t *testing.T) { testViewer(t, planes[0]) })
	t.Run("audit", func(t *testing.T) { testAudit(t, planes[0]) })
}

func testSeparate(t *testing.T, one, other *plane.Plane) {
	makeNamespace(t, client(t, one, plane.Admin), "only-here")
	_, err := client(t, other, plane.Admin).CoreV1().Namespaces().Get(t.Context(), "only-here", metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("the other plane has the namespace too: %v", err)
	}
}

func testPodRuns(t *testing.T, p *plane.Plane) {
	pods := client(t, p, plane.Admin).CoreV1().Pods("default")
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "runs"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "it", Image: "none"}}},
	}
	if _, err := pods.Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		got, err := pods.Get(t.Context(), "runs", metav1.GetOptions{})
		if err == nil && (got.Status.Phase != corev1.PodRunning || got.Spec.NodeName != plane.NodeName) {
			err = fmt.Errorf("the pod does not run on %s: %v", plane.NodeName, got.Status)
		}
		return err
	})
}

func testTenant(t *testing.T, p *plane.Plane) {
	admin := client(t, p, plane.Admin)
	makeNamespace(t, admin, "mine")
	makeNamespace(t, admin, "yours")
	tenants := map[string]kubernetes.Interface{}
	for _, namespace := range []string{"mine", "yours"} {
		path, err := p.Tenant(t.Context(), namespace)
		if err != nil {
			t.Fatal(err)
		}
		config, err := clientcmd.BuildConfigFromFlags("", path)
		if err != nil {
			t.Fatal(err)
		}
		tenants[namespace] = kubernetes.NewForConfigOrDie(config)
	}
	if _, err := tenants["mine"].CoreV1().Secrets("mine").List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Errorf("the tenant cannot list in its own namespace: %v", err)
	}
	for _, namespace := range []string{"yours", ""} {
		_, err := tenants["mine"].CoreV1().ConfigMaps(namespace).List(t.Context(), metav1.ListOptions{})
		if !apierrors.IsForbidden(err) {
			t.Errorf("the tenant may list in %q: %v", namespace, err)
		}
	}
}

func testViewer(t *testing.T, p *plane.Plane) {
	viewer := client(t, p, plane.Viewer)
	if _, err := viewer.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Errorf("the viewer cannot list nodes: %v", err)
	}
	if _, err := viewer.RbacV1().ClusterRoles().List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Errorf("the viewer cannot list cluster roles: %v", err)
	}
	if _, err := viewer.CoreV1().Secrets("").List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("the viewer may list secrets: %v", err)
	}
	_, err := viewer.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(t.Context())
	if !apierrors.IsForbidden(err) {
		t.Errorf("the viewer may read /metrics: %v", err)
	}
}

func testAudit(t *testing.T, p *plane.Plane) {
	viewer := client(t, p, plane.Viewer)
	if _, err := viewer.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	mark, err := p.Mark(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, _ = viewer.CoreV1().Secrets("").List(t.Context(), metav1.ListOptions{}) // is forbidden
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "tried"}}
	_, err = client(t, p, plane.Admin).CoreV1().Namespaces().Create(t.Context(), namespace,
		metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		t.Fatal(err)
	}
	requests, err := p.Requests(t.Context(), mark)
	if err != nil {
		t.Fatal(err)
	}
	find := func(user, verb, uri string) (found []plane.Request) {
		return slices.DeleteFunc(slices.Clone(requests), func(r plane.Request) bool {
			return r.User != user || r.Verb != verb || !strings.HasPrefix(r.URI, uri)
		})
	}
	if got := find(plane.Viewer, "list", "/api/v1/secrets"); len(got) != 1 || got[0].Code != 403 || got[0].DryRun {
		t.Errorf("the viewer's request is recorded as %+v", got)
	}
	if got := find(plane.Admin, "create", "/api/v1/namespaces"); len(got) != 1 || got[0].Code != 201 || !got[0].DryRun {
		t.Errorf("the admin's dry run is recorded as %+v", got)
	}
	if got := find(plane.Viewer, "list", "/api/v1/pods"); len(got) != 0 {
		t.Errorf("a request from before the mark: %+v", got)
	}
	if got := find(plane.Admin, "get", "/version"); len(got) != 0 {
		t.Errorf("the plane's own marks are among the requests: %+v", got)
	}
}

func makeNamespace(t *testing.T, admin kubernetes.Interface, name string) {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := admin.CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}
