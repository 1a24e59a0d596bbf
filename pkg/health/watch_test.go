package health

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/watch"
)

// A stream that our own end cuts off brought nothing: it has neither failed nor lived.
func TestOurOwnEndIsNoEvent(t *testing.T) {
	for name, ended := range map[string]bool{"the server's error": false, "our own end": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newServerChecker(t, nil)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if ended {
					cancel()
				}
				w := watch.NewFakeWithChanSize(1, false)
				status := apierrors.NewInternalError(errors.New("unable to decode an event from the watch stream: context canceled")).ErrStatus
				w.Error(&status)
				w.Stop()
				out := c.readEvents(ctx, w, widgetType(0), c.Clock())
				if (out.Fault == "") != ended || (out.Err == nil) != ended || ended && out.FirstEvent != 0 {
					t.Errorf("the watch is %+v", out)
				}
			})
		})
	}
}
