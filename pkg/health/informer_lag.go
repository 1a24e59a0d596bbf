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

// compareWithServer compares the first object of the informer with that of the API server:
// a change arrives through a watch within moments.
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
			return err != nil || order >= 0, nil // versions without an order cannot be compared
		}
		return false, err
	})
	if !wait.Interrupted(err) || ctx.Err() != nil {
		return
	}
	// An object that was deleted or changed meanwhile proves nothing.
	if again := c.firstObject(ctx, i); again != nil && again.UID == first.UID && again.ResourceVersion == first.ResourceVersion {
		i.Behind = fmt.Sprintf("%s has resourceVersion %s, which did not arrive through the watch within %s", strings.TrimPrefix(first.Namespace+"/"+first.Name, "/"), first.ResourceVersion, lateTolerance)
	}
}

// firstObject is the first object of the type at the API server, nil where there is none
// or it cannot be read.
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
