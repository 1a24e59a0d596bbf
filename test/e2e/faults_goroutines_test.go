package e2e

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cmd"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/faults"
)

// goroutinesScene is a namespace that a ConfigMap holds.
const goroutinesScene = `
kubectl create namespace goroutines
printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"held","namespace":"goroutines","finalizers":["goroutines.example.com/hold"]}}' | kubectl create -f -
kubectl delete namespace goroutines --wait=false
kubectl wait namespace/goroutines --for=condition=NamespaceFinalizersRemaining --timeout=5m
`

// goroutinesSeed chooses paths of ConfigMaps, Pods and Nodes, but neither discovery nor the namespaces: then a command reads much.
const goroutinesSeed = 289

// readingCommands are commands that only read, as short as they can be: list, and in turn one of the others.
func readingCommands(t *testing.T, turn int) [][]string {
	t.Helper()
	others := [][]string{
		{"health", "--for=3s", "--check=list,watch,informers"},
		{"explain", "ns/goroutines"},
		{"preflight", "ns/default"},
		{"wait", "ns/goroutines", "--timeout=2s"},
		{"snapshot", "-n", "goroutines", "-o", filepath.Join(t.TempDir(), "snapshot.tar.gz")},
	}
	return [][]string{{"list", "-A"}, others[turn%len(others)]}
}

// TestFaultsLeaveNoGoroutine runs commands in this process, behind a fault of each kind, as programs do that import them. What
// they have started is to end with them. It is not parallel, as others run commands too.
func TestFaultsLeaveNoGoroutine(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, goroutinesScene)
	for turn, kind := range faults.Kinds() {
		for _, args := range readingCommands(t, turn) {
			proxy := faults.New(reverseProxy(t, p), faults.Schedule{Kind: kind, Seed: goroutinesSeed, OneIn: 3})
			kubeconfig := faultyKubeconfig(t, proxy, true)
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second) // as ^C after a while
			var errOut bytes.Buffer
			program := cmd.New(genericiooptions.IOStreams{Out: io.Discard, ErrOut: &errOut}, time.Now)
			program.Run(ctx, append(args, "--kubeconfig="+kubeconfig, "--request-timeout=2s"))
			cancel()
			if !proxy.HasAnsweredWrongly() {
				t.Errorf("%s has met no server that is %s: %s", args[0], kind, &errOut)
			}
			if left := waitForNoGoroutine(t); left != "" {
				t.Errorf("%s leaves goroutines behind where servers are %s:\n%s\n%s", args[0], kind, left, &errOut)
			}
		}
	}
}

// waitForNoGoroutine gives what has ended a moment to be over, and returns the goroutines of the plugin that are left.
func waitForNoGoroutine(t *testing.T) (left string) {
	t.Helper()
	for began := time.Now(); time.Since(began) < 20*time.Second; <-time.After(pause(began, 50*time.Millisecond)) {
		if left = pluginGoroutines(); left == "" {
			break
		}
	}
	return left
}

// pluginGoroutines are the stacks in which there is code of the plugin.
func pluginGoroutines() string {
	stacks := make([]byte, 8<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	var found []string
	for stack := range strings.SplitSeq(string(stacks), "\n\n") {
		if strings.Contains(stack, "/kubectl-finalizers/pkg/") {
			found = append(found, stack)
		}
	}
	return strings.Join(found, "\n\n")
}
