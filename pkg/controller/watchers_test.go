package controller_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
)

// The garbage collector comes to a new type within a minute or so: until then the one watch on it may be the controller's,
// which is not to be told that it does not watch.
func TestNewTypeMayBeWatched(t *testing.T) {
	for age, want := range map[time.Duration]bool{11 * time.Second: false, 80 * time.Second: false, 2 * time.Minute: true, time.Hour: true} {
		source := newFakeSource(t, fmt.Sprintf(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com, creationTimestamp: %q}
---
%s`, now.Add(-age).Format(time.RFC3339), oneAPIServer))
		source.watches = []cluster.WatchCount{{Resource: "podtemplates", Open: 1}, {Group: "example.com", Resource: "widgets", Open: 1}}
		if got := controller.IsTypeUnwatched(source.view(), controller.Controller{Object: w1, Finalizer: finalizer}); got != want {
			t.Errorf("a type that is %s old is unwatched: %t", age, got)
		}
		_, evidence := controller.Watchers(source.view(), w1.Type)
		again := fmt.Sprintf("the CRD is %s old: the garbage collector may not watch it yet, so a controller may; look again in %s", duration.HumanDuration(age), duration.HumanDuration(90*time.Second-age))
		if says := strings.HasSuffix(evidence[0], again); says == want {
			t.Errorf("of a type that is %s old the evidence is %q", age, evidence)
		}
	}
}
