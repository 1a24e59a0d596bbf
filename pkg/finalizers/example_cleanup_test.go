package finalizers_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/finalizers"
)

// deleteNamespace deletes the namespace of a test. If that takes too long, the error says what
// is stuck, and why.
func deleteNamespace(ctx context.Context, config *rest.Config, name string, timeout time.Duration) error {
	namespaces := kubernetes.NewForConfigOrDie(config).CoreV1().Namespaces()
	if err := namespaces.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	err := wait.PollUntilContextTimeout(ctx, time.Second, timeout, true, func(ctx context.Context) (bool, error) {
		_, err := namespaces.Get(ctx, name, metav1.GetOptions{})
		return apierrors.IsNotFound(err), nil
	})
	if err == nil {
		return nil
	}
	list, err := finalizers.List(ctx, config, finalizers.ListOptions{Namespace: name})
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, item := range list.Items {
		fmt.Fprintf(&lines, "\n%s %s is stuck: %s", item.Kind, item.Metadata.Name, item.Diagnosis.Verdict)
		for _, cause := range item.Diagnosis.Causes {
			fmt.Fprintf(&lines, "\n  %s: %q", cause.Cause, cause.Message)
			for _, evidence := range cause.Evidence {
				fmt.Fprintf(&lines, "\n  - %q", evidence)
			}
		}
	}
	for _, gap := range list.Gaps {
		fmt.Fprintf(&lines, "\ncould not read %q: %q", gap.Source, gap.Message)
	}
	return fmt.Errorf("namespace %s still exists after %s%s", name, timeout, lines.String())
}

// Say in an end-to-end test why a cleanup hangs.
func ExampleList_cleanup() {
	config, stop := newCluster()
	defer stop()

	err := deleteNamespace(context.Background(), config, "shop", time.Millisecond)
	before, _, _ := strings.Cut(err.Error(), "\ncould not read")
	fmt.Println(before)
	// Output:
	// namespace shop still exists after 1ms
	// PersistentVolumeClaim data is stuck: Blocked
	//   claim-in-use: "pod/db-0 uses the claim"
	//   - "pod/db-0 (Running on node-1) mounts the claim and is not being deleted"
}
