package finalizers_test

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/finalizers"
)

func ExampleList() {
	config, stop := newCluster() // in a test of yours, the configuration that it connects with
	defer stop()

	list, err := finalizers.List(context.Background(), config, finalizers.ListOptions{Namespace: "shop"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, item := range list.Items {
		fmt.Printf("%s %s is stuck: %s\n", item.Kind, item.Metadata.Name, item.Diagnosis.Verdict)
		for _, cause := range item.Diagnosis.Causes {
			fmt.Printf("%s: %s\n", cause.Cause, cause.Message)
		}
	}
	// Output:
	// PersistentVolumeClaim data is stuck: Blocked
	// claim-in-use: pod/db-0 uses the claim
}

func ExampleExplain() {
	config, stop := newCluster()
	defer stop()

	claim := schema.GroupKind{Kind: "PersistentVolumeClaim"}
	explanation, err := finalizers.Explain(context.Background(), config, claim, types.NamespacedName{Namespace: "shop", Name: "data"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, cause := range explanation.Target.Diagnosis.Causes {
		fmt.Println(cause.Message)
		for _, evidence := range cause.Evidence {
			fmt.Println("-", evidence)
		}
		for _, step := range cause.Steps {
			fmt.Println(step.Description)
			fmt.Println(step.Command)
		}
	}
	// Output:
	// pod/db-0 uses the claim
	// - pod/db-0 (Running on node-1) mounts the claim and is not being deleted
	// delete the pod
	// kubectl -n shop delete pod db-0
}
