package cmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

const service = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n"

// explain takes its objects as kubectl describe does.
func TestExplainTargets(t *testing.T) {
	t.Setenv("KUBECONFIG", t.TempDir()+"/none")
	file := filepath.Join(t.TempDir(), "shop.yaml")
	manifests := service + "---\napiVersion: serving.example.com/v1\nkind: Service\nmetadata: {name: app, namespace: ci}\n---\napiVersion: example.org/v1\nkind: Gizmo\nmetadata: {name: x}\n"
	if err := os.WriteFile(file, []byte(manifests), 0o600); err != nil {
		t.Fatal(err)
	}
	const web, app = "service/web -n ci is not being deleted; finalizer: example.com/hold\n", "service.serving.example.com/app -n ci is not being deleted; finalizer:\n    example.com/hold\n"
	for line, test := range map[string]struct {
		code     int
		out, err string
	}{
		"explain service/web service/app":                     {out: web + app},
		"explain service web app":                             {out: web + app},
		"why service/web":                                     {out: web},
		"describe service/web":                                {out: web},
		"explain -f -":                                        {out: web},
		"explain -f " + file:                                  {code: 1, out: web + app, err: "error: " + file + ": the server has no kind Gizmo.example.org\n"},
		"explain service/web machine/none":                    {code: 1, out: web, err: "error: machines.cluster.x-k8s.io, machines.vm.example.com \"none\" not found in namespace \"ci\": it may be gone already, or elsewhere (-n, --context)\n"},
		"explain service/web machine/none --exit-code":        {code: 1, out: web, err: "error: machines.cluster.x-k8s.io, machines.vm.example.com \"none\" not found in namespace \"ci\": it may be gone already, or elsewhere (-n, --context)\n"},
		"explain service/web machine/none --ignore-not-found": {out: web},
		"explain machine/none --ignore-not-found":             {err: "No objects found.\n"},
		"explain machine/secret --ignore-not-found":           {code: 1, err: "error: machine.vm.example.com/secret exists, but whether machine.cluster.x-k8s.io/secret does too could not be read (forbidden); write the full name: machines.vm.example.com/secret\n"},
		"explain service/web -A":                              {code: 1, err: "error: \"web\" names an object, which -A does not: leave out -A, and name the namespace with -n\n"},
		"explain service/web -l a=b":                          {code: 1, err: "error: \"web\" names an object, and -l selects by labels: use one of them\n"},
		"explain service -l a(":                               {code: 1, err: "error: reading --selector: unable to parse requirement: found '(', expected: in, notin, =, ==, !=, gt, lt\n"},
		"explain service -f " + file:                          {code: 1, err: "error: -f and -k name the objects: they cannot be used with arguments, -l or -A\n"},
		"explain -f none.yaml":                                {code: 1, err: "error: reading the manifests: the path \"none.yaml\" does not exist\n"},
		"explain -f http://example.com/a.yaml":                {code: 1, err: "error: -f http://example.com/a.yaml: URLs are not fetched, requests go to the API server only; download it, or pipe it to -f -\n"},
		"explain -k github.com/example/shop":                  {code: 1, err: "error: -k takes a local directory: stat github.com/example/shop: no such file or directory\n"},
		"explain service.v1. -l app=shop":                     {out: web},
		"explain service.v1. -A":                              {out: web},
	} {
		t.Run(line, func(t *testing.T) {
			code, out, errOut := runWithInput(t, machineRoom(), service, append(strings.Fields(line), "-n", "ci")...)
			if code != test.code || out != test.out || errOut != test.err {
				t.Errorf("it ends with %d, not %d, and says\n%s%swant\n%s%s", code, test.code, errOut, out, test.err, test.out)
			}
		})
	}
}

func runWithInput(t *testing.T, source cluster.Source, input string, args ...string) (code int, out, errOut string) {
	t.Helper()
	var stdout, stderr strings.Builder
	p := New(genericiooptions.IOStreams{In: strings.NewReader(input), Out: &stdout, ErrOut: &stderr}, source.Now)
	p.Connect = func(*genericclioptions.ConfigFlags) (cluster.Source, error) { return source, nil }
	code = p.Run(t.Context(), args)
	return code, stdout.String(), stderr.String()
}

// Several objects have a screen each with a rule between, many that are similar have one, and a
// document of several is a list.
func TestExplainSeveral(t *testing.T) {
	const story = "carts-hold-a-namespace"
	code, out, errOut := run(t, story, nil, "explain", "ns/shop", "widget/w1", "-n", "shop", "--exit-code")
	if screens := strings.Split(out, "\n---\n\n"); code != 2 || len(screens) != 2 || !strings.HasPrefix(screens[0], "namespace/shop is stuck") || !strings.HasPrefix(screens[1], "widget.shop.example.com/w1 -n shop is stuck") {
		t.Errorf("it ends with %d and says\n%s%s", code, errOut, out)
	}
	code, out, errOut = run(t, story, nil, "explain", "carts", "-n", "shop")
	if code != 0 || strings.Contains(out, "\n---\n") || !strings.Contains(strings.Join(strings.Fields(out), " "), "The same holds for 11 similar objects (cart-10,") {
		t.Errorf("it ends with %d and says\n%s%s", code, errOut, out)
	}
	_, out, _ = run(t, story, nil, "explain", "carts", "-n", "shop", "-o", "json")
	var list struct {
		Kind  string
		Items []struct{ Kind string }
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil || list.Kind != "ExplanationList" || len(list.Items) != 12 || list.Items[0].Kind != "Explanation" {
		t.Errorf("%v: of 12 objects the document is\n%s", err, out)
	}
}

// The forced way has the flags that its plan needs, and there is none where somebody is left.
func TestForcedWayHasItsFlags(t *testing.T) {
	for story, test := range map[string]struct{ args, want string }{
		"carts-hold-a-namespace":    {"explain ns/shop", "\n  kubectl finalizers force-remove namespace/shop --dry-run=server --accept-leaks\n"},
		"somebody-follows-the-type": {"explain thread/welcome -n board", "\n  kubectl finalizers force-remove thread.forum.example.com/welcome -n board --dry-run=server --override-verdict --accept-leaks\n"},
		"job-is-gone":               {"explain pod/monthly-k2 -n reports", "\n  kubectl finalizers force-remove pod/monthly-k2 -n reports --dry-run=server\n"},
		"crd-waits-for-its-objects": {"explain crd/gadgets.factory.example.com", "\n  kubectl finalizers force-remove gadget.factory.example.com/g1 gadget.factory.example.com/g2 -n factory --dry-run=server --accept-leaks\n"},
		"claim-is-in-use":           {"explain pvc/data -n database", ""},
	} {
		t.Run(story, func(t *testing.T) {
			_, out, errOut := run(t, story, nil, strings.Fields(test.args)...)
			if strings.Contains(out, "force-remove") != (test.want != "") || !strings.Contains(out, test.want) {
				t.Errorf("it does not say %q:\n%s%s", test.want, errOut, out)
			}
		})
	}
}
