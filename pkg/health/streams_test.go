package health

import (
	"context"
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Informers list in pages after any error but one of throttling; a streamed list that did not come to its end is not healthy.
func TestStreamsThatFail(t *testing.T) {
	gr := schema.GroupResource{Group: "example.com", Resource: "widgets"}
	for name, test := range map[string]struct {
		err  error
		want streamState
		gap  bool
	}{
		"not offered":          {err: apierrors.NewInvalid(schema.GroupKind{}, "", nil), want: streamRejected},
		"not understood":       {err: apierrors.NewInternalError(errors.New("unknown option")), want: streamRejected},
		"no watch":             {err: apierrors.NewMethodNotSupported(gr, "watch"), want: streamRejected},
		"throttled":            {err: apierrors.NewTooManyRequests("later", 1), gap: true},
		"no answer":            {err: context.DeadlineExceeded, gap: true},
		"forbidden":            {err: apierrors.NewForbidden(gr, "", nil)},
		"it broke off halfway": {gap: true},
	} {
		t.Run(name, func(t *testing.T) {
			c, r := newRecordedChecker(t), streamResult{Type: widgets}
			if test.err != nil {
				r.fail(test.err)
			}
			if r.State != test.want {
				t.Errorf("its state is %d, want %d", r.State, test.want)
			}
			streams := map[schema.GroupVersionResource]streamResult{widgets.GVR(): r}
			if found := c.addStreamGaps(streams, nil); found != test.gap || len(c.view.AllGaps()) > 0 != test.gap {
				t.Errorf("there is a gap: %t: %v", found, c.view.AllGaps())
			}
			if c.addStreamGaps(streams, []watchResult{{Type: widgets, Fault: faultCut}}) {
				t.Error("a faulty watch is a gap beside its problem")
			}
		})
	}
}
