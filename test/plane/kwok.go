package plane

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// NodeName is the Node that kwok keeps alive from the start. A story can make others: alive with the annotation
// kwok.x-k8s.io/node=fake, and one that nobody heartbeats without it.
const NodeName = "node-1"

const kwokAnnotation = "kwok.x-k8s.io/node"

// kwokOptions are the options without which kwok does not start, given any configuration at all.
const kwokOptions = `apiVersion: config.kwok.x-k8s.io/v1alpha1
kind: KwokConfiguration
options:
  podPlayStageParallelism: 4
  nodePlayStageParallelism: 4
  nodeLeaseParallelism: 4
  podsOnNodeSyncParallelism: 1
  enablePodsOnNodeSyncListPager: true
`

func (p *Plane) writeKwokConfiguration() error {
	stages, err := os.ReadFile(filepath.Join(p.programs, kwokStages))
	if err != nil {
		return fmt.Errorf("reading kwok's stages: %w", err)
	}
	if bytes.Count(stages, []byte(deletes)) != 1 {
		return errors.New("reading kwok's stages: the one that deletes Pods is not where it was")
	}
	stages = bytes.Replace(stages, []byte(deletes), []byte(deletes+unlessHung), 1)
	return p.write("kwok.yaml", slices.Concat([]byte(kwokOptions), stages))
}

const (
	// deletes is what kwok deletes a Pod for, as a kubelet does in the end.
	deletes = `    - key: '.metadata.deletionTimestamp'
      operator: 'Exists'
`
	// unlessHung spares a Pod of which a story says, by an annotation, that its kubelet cannot get rid of it. The Node is
	// kept alive all the while, which a Node without kwok is not for longer than the grace period between two heartbeats.
	unlessHung = `    - key: '.metadata.annotations["plane/kubelet"]'
      operator: 'NotIn'
      values: ['hangs']
`
)

func (p *Plane) createNode(ctx context.Context) error {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name:        NodeName,
		Annotations: map[string]string{kwokAnnotation: "fake"},
		Labels:      map[string]string{corev1.LabelHostname: NodeName, corev1.LabelOSStable: "linux"},
	}}
	return p.asAdmin(ctx, func(ctx context.Context, client kubernetes.Interface) error {
		if _, err := client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("creating the node %s: %w", NodeName, err)
		}
		return nil
	})
}

// awaitNode waits until Pods can be scheduled to the node.
func (p *Plane) awaitNode(ctx context.Context) error {
	return p.asAdmin(ctx, func(ctx context.Context, client kubernetes.Interface) error {
		return p.await(ctx, "the node "+NodeName, func(ctx context.Context) error {
			node, err := client.CoreV1().Nodes().Get(ctx, NodeName, metav1.GetOptions{})
			if err != nil {
				return err
			}
			if len(node.Spec.Taints) > 0 || !slices.ContainsFunc(node.Status.Conditions, isReady) {
				return errors.New("it is not ready")
			}
			return nil
		})
	})
}

func isReady(condition corev1.NodeCondition) bool {
	return condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue
}
