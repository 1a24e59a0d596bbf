package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// fleetMember is a cluster of a test: a recording, or an error for each read.
type fleetMember struct {
	cluster.Source
	uid types.UID
	err error
}

func (m fleetMember) Metadata(ctx context.Context, t stuck.Type, namespace, name string) (*metav1.PartialObjectMetadata, error) {
	if name == metav1.NamespaceSystem {
		ctx, cancel := cluster.LimitRead(ctx)
		defer cancel()
		if ctx.Err() != nil {
			return nil, cluster.ReadError(ctx, ctx.Err())
		}
		return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{UID: m.uid}}, m.err
	}
	return m.Source.Metadata(ctx, t, namespace, name)
}

// fleet is a kubeconfig with contexts of the test's clusters, by user.
type fleet struct {
	members map[string]fleetMember // by user
	mu      sync.Mutex
	// connected are the contexts that were used, once for each connection.
	connected []string
}

// testFleet has two clusters with a namespace shop, and one that is unreachable.
func testFleet(t *testing.T) *fleet {
	t.Helper()
	f := &fleet{members: map[string]fleetMember{}}
	for user, story := range map[string]string{"broken": "carts-hold-a-namespace", "other": "challenge-lost-its-secret"} {
		f.members[user] = fleetMember{Source: storySource(t, story), uid: types.UID(user)}
	}
	f.members["dead"] = fleetMember{err: &url.Error{Op: "Get", URL: "https://10.0.0.9", Err: errors.New("connection refused")}}
	f.members["expired"] = fleetMember{err: apierrors.NewUnauthorized("expired")}
	return f
}

func storySource(t *testing.T, story string) cluster.Source {
	t.Helper()
	stories, err := recording.Scenarios(scenarios)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(stories, func(s recording.Scenario) bool { return s.Name == story })
	source, err := stories[i].Source()
	if err != nil {
		t.Fatal(err)
	}
	return source
}

// kubeconfig has a context for each pair of a name and "user@server", with an optional namespace.
func kubeconfig(t *testing.T, path string, contexts ...string) string {
	t.Helper()
	config := api.NewConfig()
	for i := 0; i < len(contexts); i += 2 {
		user, server, _ := strings.Cut(contexts[i+1], "@")
		server, namespace, _ := strings.Cut(server, "/")
		host, authority, _ := strings.Cut(server, "+")
		config.Clusters[server] = &api.Cluster{Server: "https://" + host, CertificateAuthorityData: []byte(authority)}
		config.AuthInfos[user] = &api.AuthInfo{Token: user}
		config.Contexts[contexts[i]] = &api.Context{Cluster: server, AuthInfo: user, Namespace: namespace}
	}
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return path
}

func (f *fleet) run(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	p := New(genericiooptions.IOStreams{In: strings.NewReader(""), Out: &stdout, ErrOut: &stderr}, func() time.Time { return now })
	p.Connect = func(flags *genericclioptions.ConfigFlags) (cluster.Source, error) {
		config, err := restConfig(flags)
		if err != nil {
			return nil, err
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.connected = append(f.connected, *flags.Context)
		return f.members[config.BearerToken], nil
	}
	code = p.Run(t.Context(), args)
	return code, stdout.String(), stderr.String()
}

// Which contexts are one cluster.
func TestFleetIdentity(t *testing.T) {
	tests := map[string]struct {
		contexts []string
		args     []string
		clusters []string
	}{
		"the same server":                             {contexts: []string{"a", "broken@x", "b", "broken@x"}, args: []string{"-n", "shop"}, clusters: []string{"a b"}},
		"the same server with another authority":      {contexts: []string{"a", "broken@x+1", "b", "other@x+2"}, args: []string{"-n", "shop"}, clusters: []string{"a", "b"}},
		"other servers":                               {contexts: []string{"a", "broken@x+1", "b", "other@y+1"}, args: []string{"-n", "shop"}, clusters: []string{"a", "b"}},
		"another address":                             {contexts: []string{"a", "broken@x+1", "b", "broken@y+1"}, args: []string{"-n", "shop"}, clusters: []string{"a b"}},
		"the same uid with another authority":         {contexts: []string{"a", "broken@x+1", "b", "broken@y+2"}, args: []string{"-n", "shop"}, clusters: []string{"a", "b"}},
		"the same uid with no authority":              {contexts: []string{"a", "broken@x", "b", "broken@y"}, args: []string{"-n", "shop"}, clusters: []string{"a", "b"}},
		"another namespace":                           {contexts: []string{"a", "broken@x/shop", "b", "broken@x/default"}, clusters: []string{"a", "b"}},
		"another namespace, and one is named":         {contexts: []string{"a", "broken@x/shop", "b", "broken@x/default"}, args: []string{"-n", "shop"}, clusters: []string{"a b"}},
		"the first context has no usable credentials": {contexts: []string{"a", "expired@x", "b", "broken@x"}, args: []string{"-n", "shop"}, clusters: []string{"b a"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			file := kubeconfig(t, filepath.Join(t.TempDir(), "config"), test.contexts...)
			f := testFleet(t)
			_, out, errOut := f.run(t, slices.Concat([]string{"list", "--all-contexts", "--kubeconfig", file, "-o", "json"}, test.args)...)
			var list report.StuckList
			if err := json.Unmarshal([]byte(out), &list); err != nil {
				t.Fatal(err, errOut)
			}
			var got []string
			for _, c := range list.Clusters {
				got = append(got, strings.Join(c.Contexts, " "))
			}
			if diff := cmp.Diff(test.clusters, got); diff != "" {
				t.Errorf("clusters (-want +got):\n%s%s", diff, errOut)
			}
			if merged := len(test.clusters) == 1; merged != strings.Contains(errOut, "the same cluster as") {
				t.Errorf("it says %q", errOut)
			}
		})
	}
}

// Files of a folder are not merged: their contexts may have the same name.
func TestKubeconfigFolder(t *testing.T) {
	folder := t.TempDir()
	kubeconfig(t, filepath.Join(folder, "east.yaml"), "default", "broken@10.0.0.1")
	kubeconfig(t, filepath.Join(folder, "west.yaml"), "default", "other@10.0.0.2", "edge\x1b[31m", "dead@10.0.0.9")
	for name, content := range map[string]string{"notes.txt": "\t{", ".hidden": "{"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "cache"), 0o700); err != nil {
		t.Fatal(err)
	}
	code, out, errOut := testFleet(t).run(t, "list", "-n", "shop", "--kubeconfig", folder)
	if code != 0 || !strings.Contains(out, "east.yaml/default") || !strings.Contains(out, "west.yaml/default") {
		t.Errorf("it ended with %d:\n%s", code, out)
	}
	for _, want := range []string{"notes.txt: could not be read: reading " + filepath.Join(folder, "notes.txt") + ": not a kubeconfig: found character", `edge\u001b[31m: could not be read: cannot reach`} {
		if !strings.Contains(errOut, want) {
			t.Errorf("it does not say %q:\n%s", want, errOut)
		}
	}
	if strings.Contains(errOut, "hidden") || strings.Contains(errOut, "cache") || strings.Contains(errOut, "\x1b") {
		t.Errorf("it says:\n%s", errOut)
	}
	if code, _, errOut := testFleet(t).run(t, "explain", "ns/shop", "--kubeconfig", folder); code != 1 || !strings.Contains(errOut, "which only list, health, preflight and snapshot read") {
		t.Errorf("explain ended with %d and said %q", code, errOut)
	}
	if _, out, errOut := testFleet(t).run(t, "list", "-n", "shop", "--kubeconfig", folder, "--contexts", "east.yaml/default"); strings.Contains(out, "west.yaml") || errOut != "" {
		t.Errorf("one context of the folder:\n%s%s", out, errOut)
	}
}

// A login that takes long leaves the others the time that they need.
func TestLateConnection(t *testing.T) {
	file := kubeconfig(t, filepath.Join(t.TempDir(), "config"), "a", "broken@x+1", "b", "broken@y+1")
	flags := genericclioptions.NewConfigFlags(true)
	flags.KubeConfig = &file
	contexts, err := loadContexts(flags)
	if err != nil {
		t.Fatal(err)
	}
	f := testFleet(t)
	o := fleetOptions{contexts: contexts, anyNamespace: true, atOnce: 1}
	o.program.Connect = func(*genericclioptions.ConfigFlags) (cluster.Source, error) { return f.members["broken"], nil }
	clusters, err := o.identify(cluster.WithReadBudget(t.Context(), 0), &progress{})
	if err != nil || len(clusters) != 1 {
		t.Errorf("they are not known to be one: %+v %v", clusters, err)
	}
}

// What ends with no context does not hold up the others.
func TestTimeLimit(t *testing.T) {
	never := make(chan struct{})
	defer close(never)
	_, err := withTimeLimit(t.Context(), time.Millisecond, func(context.Context) (int, error) { <-never; return 0, nil })
	if want := "the plugin for its credentials, does not respond"; err == nil || !strings.Contains(err.Error(), want) || !isUnreachable(err) {
		t.Errorf("the error is %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := withTimeLimit(ctx, time.Hour, func(context.Context) (int, error) { <-never; return 0, nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted read ends with %v", err)
	}
}

func TestCompleteContexts(t *testing.T) {
	file := kubeconfig(t, filepath.Join(t.TempDir(), "config"), "prod", "broken@10.0.0.1", "preview", "other@10.0.0.2", "gone", "dead@10.0.0.9")
	flags := genericclioptions.NewConfigFlags(true)
	flags.KubeConfig = &file
	for word, want := range map[string][]string{"": {"gone", "preview", "prod"}, "pr": {"preview", "prod"}, "prod,": {"prod,gone", "prod,preview"}, "prod,p": {"prod,preview"}} {
		if got, _ := completeContexts(flags)(&cobra.Command{}, nil, word); !slices.Equal(got, want) {
			t.Errorf("%q is completed to %q, want %q", word, got, want)
		}
	}
}

// The clusters of a fleet are read a few at once.
func TestForEach(t *testing.T) {
	var mu sync.Mutex
	running, most := 0, 0
	meet := make(chan struct{}, maxClustersAtOnce)
	err := fleetOptions{atOnce: maxClustersAtOnce}.forEach(t.Context(), 20, nil, func(int) {
		mu.Lock()
		running++
		most = max(most, running)
		mu.Unlock()
		meet <- struct{}{} // room for as many as may run
		mu.Lock()
		running--
		mu.Unlock()
		<-meet
	})
	if err != nil || most > maxClustersAtOnce {
		t.Errorf("%d ran at once: %v", most, err)
	}
}
