package report_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func TestTree(t *testing.T) {
	circle := stuckWidget("w1")
	circle.WaitsFor = []*stuck.Diagnosis{stuckWidget("w2", circle)}
	shared := stuckWidget("w3", stuckWidget("w4"))
	wide := stuckWidget("漢字")
	longFinalizer := stuckWidget("w1")
	longFinalizer.Object.Finalizers = []string{"example.com/a-longer-cleanup"}
	long := stuckWidget(strings.Repeat("l", 70))
	for name, test := range map[string]struct {
		root *stuck.Diagnosis
		want string
	}{
		"it waits for itself": {circle, `
widget.example.com/w1        [1]
└─ widget.example.com/w2     [1]  example.com/cleanup
   └─ widget.example.com/w1  [1]  (waits for itself)
`},
		"two wait for the same": {terminatingNamespace(stuckWidget("w1", shared), stuckWidget("w2", shared)), `
namespace/shop
├─ widget.example.com/w1        [1]  example.com/cleanup
│  └─ widget.example.com/w3     [1]  example.com/cleanup
│     └─ widget.example.com/w4  [1]  example.com/cleanup
└─ widget.example.com/w2        [1]  example.com/cleanup
   └─ widget.example.com/w3     [1]  (see above)
`},
		"what would be too wide is not aligned": {terminatingNamespace(longFinalizer, stuckWidget(strings.Repeat("l", 30))), `
namespace/shop
├─ widget.example.com/w1  [1]  example.com/a-longer-cleanup
└─ widget.example.com/` + strings.Repeat("l", 30) + `  [1]  example.com/cleanup
`},
		"what is too wide nevertheless has the finalizers below": {terminatingNamespace(stuckWidget("w1", stuckWidget("w2")), long), `
namespace/shop
├─ widget.example.com/w1  [1]
│  │  example.com/cleanup
│  └─ widget.example.com/w2  [1]
│        example.com/cleanup
└─ widget.example.com/` + strings.Repeat("l", 70) + `  [1]
      example.com/cleanup
`},
		"wide characters take two columns": {terminatingNamespace(wide, stuckWidget("w123")), `
namespace/shop
├─ widget.example.com/漢字  [1]  example.com/cleanup
└─ widget.example.com/w123  [1]  example.com/cleanup
`},
	} {
		t.Run(name, func(t *testing.T) {
			paragraphs := strings.Split(explanationText(t, test.root), "\n\n")
			if diff := cmp.Diff(strings.Trim(test.want, "\n"), paragraphs[2]); diff != "" {
				t.Errorf("tree (-want +got):\n%s", diff)
			}
		})
	}
}
