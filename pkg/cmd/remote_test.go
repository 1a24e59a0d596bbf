package cmd

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// TestOneCluster changes the kubeconfig while force-remove starts, and expects it to write where it reads.
func TestOneCluster(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config")
	choose := func(name string) {
		text := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":%q,"contexts":[
{"name":"one","context":{"cluster":"one","user":"me"}},{"name":"two","context":{"cluster":"two","user":"me"}}],"users":[{"name":"me"}],
"clusters":[{"name":"one","cluster":{"server":"http://127.0.0.1:1"}},{"name":"two","cluster":{"server":"http://127.0.0.1:2"}}]}`, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	choose("one")
	var out bytes.Buffer
	p := New(genericiooptions.IOStreams{In: &out, Out: &out, ErrOut: &out}, func() time.Time { return time.Unix(1, 0) })
	connect, open := p.Connect, p.Remote
	p.Connect = func(flags *genericclioptions.ConfigFlags) (cluster.Source, error) {
		source, err := connect(flags)
		choose("two")
		return source, err
	}
	var remote Remote
	p.Remote = func(flags *genericclioptions.ConfigFlags) (_ Remote, err error) {
		remote, err = open(flags)
		return remote, err
	}
	p.Run(t.Context(), []string{"force-remove", "pod/web", "--kubeconfig", path})
	if remote.Cluster.Server != "http://127.0.0.1:1" || remote.Cluster.Context != "one" {
		t.Errorf("it reads from context one and writes to %+v\n%s", remote.Cluster, out.String())
	}
}
