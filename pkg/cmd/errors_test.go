package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/find"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

const address = "https://cluster.example.com"

func TestErrorsSayWhatToDoNext(t *testing.T) {
	var number int
	shape := json.Unmarshal([]byte(`"x"`), &number)
	syntax := json.Unmarshal([]byte(`<html>`), &number)
	pods := schema.GroupResource{Resource: "pods"}
	emptyView := cluster.NewView(t.Context(), (&recording.Recording{}).Source(nil), nil, nil)
	tests := map[string]struct {
		err  error
		want []string
	}{
		"no kubeconfig":       {errNoCluster, []string{"KUBECONFIG", "--kubeconfig"}},
		"an expired token":    {apierrors.NewUnauthorized("expired"), []string{address, "log in again", "--context"}},
		"a missing right":     {apierrors.NewForbidden(pods, "web", errors.New("no")), []string{"forbidden", "ask for that right"}},
		"no answer":           {&url.Error{Op: "Get", URL: address, Err: context.DeadlineExceeded}, []string{address, "does not respond", "--server"}},
		"no connection":       {&url.Error{Op: "Get", URL: address, Err: syscall.ECONNREFUSED}, []string{address, "connection refused", "--server"}},
		"an answer in HTML":   {syntax, []string{address, "not a Kubernetes API server"}},
		"an answer of others": {shape, []string{address, "not a Kubernetes API server"}},
		"a server of nothing": {find.ErrNotKubernetes, []string{address, "not a Kubernetes API server"}},
		"many lines":          {errors.New("cannot load it:\n\n\tfailed"), []string{"cannot load it: failed"}},
		"a word in capitals":  {errors.New("API is gone"), []string{"API is gone"}},
		"a server in trouble": {apierrors.NewInternalError(errors.New("etcd is gone")), []string{"etcd is gone", address, "try again", "/readyz"}},
		"a bad kubeconfig":    {configError(errors.New("error loading\nit")), []string{"reading the kubeconfig: loading it", "--context"}},
		"an object that is nowhere": {
			notFound(emptyView, target{Type: stuck.Type{Resource: "nodes"}, Name: "a"}, "shop"), []string{`nodes "a" not found`, "--context"},
		},
		"an object of a type that may not be known": {
			notFound(cluster.NewView(t.Context(), (&recording.Recording{}).Source(nil), nil, []stuck.Gap{cluster.StaleDiscoveryGap("vm.example.com", "v1")}),
				target{Type: stuck.Type{Group: "example.com", Resource: "machines", Namespaced: true}, Name: "a"}, "ci"),
			[]string{`machines.example.com "a" not found; another type of that name may have it: vm.example.com/v1 could not be discovered`},
		},
		"one that is not in the namespace": {
			notFound(emptyView, target{Type: stuck.Type{Resource: "pods", Namespaced: true}, Name: "a"}, "shop"), []string{`pods "a" not found in namespace "shop"`},
		},
		"a format": {unknownFormat("xml", "json, yaml"), []string{`"xml"`, "json, yaml"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			flags := genericclioptions.NewConfigFlags(true)
			*flags.APIServer = address
			for _, err := range []error{test.err, fmt.Errorf("reading it: %w", test.err)} {
				got := errorText(err, flags)
				for _, part := range test.want {
					if !strings.Contains(got, part) {
						t.Errorf("%q does not say %q", got, part)
					}
				}
				if got != oneLine(got) {
					t.Errorf("%q is more than a line", got)
				}
			}
		})
	}
}
