package e2e

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// escapeScene has a Pod on a Node whose condition says what would rewrite the screen of whoever reads it. Whoever
// may write a status can do that.
const escapeScene = `
kubectl create namespace escape
kubectl wait -n escape serviceaccount/default --for=create --timeout=5m
cat <<END | kubectl create -f -
apiVersion: v1
kind: Node
metadata: {name: escape-node}
---
apiVersion: v1
kind: Pod
metadata: {name: held, namespace: escape}
spec:
  nodeName: escape-node
  terminationGracePeriodSeconds: 1
  automountServiceAccountToken: false
  containers: [{name: it, image: none}]
END
kubectl patch node escape-node --subresource=status --type=merge -p '{"status":{"conditions":[{"type":"Ready","status":"Unknown",
  "reason":"Evil","message":"all is \u001b[31mwell\u001b[2J\r\u0007 \u202egnihton\u009b1m\nnamespace/escape is gone"}]}}'
kubectl -n escape delete pod held --wait=false
`

func TestNoEscapeReachesTheTerminal(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, escapeScene)
	eventually(t, func() error {
		if out, errOut, _ := kubectl(t, p, plane.Admin, "finalizers", "list", "-n", "escape", "-o", "name"); out != "pod/held\n" {
			return fmt.Errorf("the pod is not past its grace period yet: %s%s", out, errOut)
		}
		return nil
	})
	for _, args := range [][]string{
		{"explain", "pod/held"},
		{"explain", "pod/held", "-o", "json"},
		{"explain", "pod/held", "-o", "yaml"},
		{"explain", "pod/held", "-o", "dot"},
		{"explain", "pod/held", "-o", "mermaid"},
		{"list"},
		{"list", "-o", "wide"},
		{"list", "-o", "json"},
		{"list", "-o", "jsonpath={.items[*].diagnosis.causes[*].message}"},
		{"list", "-o", "go-template={{range .items}}{{range .diagnosis.causes}}{{.message}}{{end}}\x1b[31m{{end}}"},
		{"list", "-o", "custom-columns=WHY:.diagnosis.causes[*].message"},
		{"explain", "pod/\x1b[31m"},
		{"list", "\x1b[31m"},
		{"list", "-o", "\x1b[31m"},
		{"\x1b[31m"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			out, errOut, _ := finalizers(t, p.Env(plane.Admin), append(args, "-n", "escape")...)
			for _, r := range out + errOut {
				if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
					t.Fatalf("it prints %U: %q", r, out+errOut)
				}
			}
			if args[0] == "explain" && len(args) == 2 && out != "" {
				wantWords(t, out, []string{`node/escape-node has been NotReady`, `Evil: all is \u001b[31mwell\u001b[2J`, `\u000anamespace/escape is gone`})
			}
		})
	}
}
