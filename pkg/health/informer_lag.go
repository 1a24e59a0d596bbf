package health

import (
	"context"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
)

// compareWithServer holds what the informer has against what the server has, by the first
// object: a change takes no more than moments to come through a watch.
func (c *checker) compareWithServer(ctx context.Context, informer cache.SharedIndexInformer, i *informerResult) {
	i.LastVersion = informer.LastSyncResourceVersion()
	first := c.firstObject(ctx, i)
	if first == nil {
		return
	}
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, lateTolerance, true, func(context.Context) (bool, error) {
		known, _, err := informer.GetStore().Get(first)
		if m, ok := known.(*metav1.PartialObjectMetadata); ok && err == nil {
			order, err := resourceversion.CompareResourceVersion(m.ResourceVersion, first.ResourceVersion)
			return err != nil || order >= 0, nil // versions that have no order cannot be held against each other
		}
		return false, err
	})
	if !wait.Interrupted(err) || ctx.Err() != nil {
		return
	}
	// One that has gone or changed meanwhile tells nothing.
	if again := c.firstObject(ctx, i); again != nil && again.UID == first.UID && again.ResourceVersion == first.ResourceVersion {
		i.Behind = fmt.Sprintf("%s is at resourceVersion %s, which had not come through the watch after %s", strings.TrimPrefix(first.Namespace+"/"+first.Name, "/"), first.ResourceVersion, lateTolerance)
	}
}

// firstObject is the first object of the type as the server has it, nil where there
// is none or it cannot be read.
func (c *checker) firstObject(ctx context.Context, i *informerResult) *metav1.PartialObjectMetadata {
	list, err := c.server.ListFirst(ctx, i.Type, c.Namespace)
	if err != nil {
		return nil
	}
	i.ServerVersion = list.ResourceVersion
	if len(list.Items) == 0 {
		return nil
	}
	return &list.Items[0]
}
