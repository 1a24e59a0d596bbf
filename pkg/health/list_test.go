package health

import (
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Where no type can be listed, nothing is healthy.
func TestNothingListed(t *testing.T) {
	status := func(code int, reason metav1.StatusReason) responder {
		return func(*http.Request) (int, any) {
			return code, metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure, Code: int32(code), Reason: reason, Message: "no"}
		}
	}
	forbidden := status(http.StatusForbidden, metav1.StatusReasonForbidden)
	for name, test := range map[string]struct {
		answers responder
		want    string
	}{
		"a user who may list nothing":    {forbidden, "you may not list any of 2 types: "},
		"a server that serves none":      {status(http.StatusNotFound, metav1.StatusReasonNotFound), "listing 2 types: every list was answered with 404 or 405"},
		"a server that lists none":       {status(http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed), "listing 2 types: every list was answered with 404 or 405"},
		"a server in trouble is checked": {status(http.StatusInternalServerError, metav1.StatusReasonInternalError), ""},
		"a user who may list one": {func(r *http.Request) (int, any) {
			if strings.HasSuffix(r.URL.Path, "/widgets1") {
				return http.StatusOK, objectList()
			}
			return forbidden(r)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := newServerChecker(t, test.answers)
			c.Types = []stuck.Type{widgetType(0), widgetType(1)}
			c.lists = c.listAll(t.Context())
			switch err := c.nothingListed(); {
			case test.want == "" && err != nil, test.want != "" && (err == nil || !strings.HasPrefix(err.Error(), test.want)):
				t.Errorf("the error is %v, not %q", err, test.want)
			}
		})
	}
	if c := checkList(t.Context(), &checker{}, nil); !c.Incomplete || c.State() == stuck.Healthy {
		t.Errorf("no type at all is %s: %s", c.State(), c.Summary)
	}
}
