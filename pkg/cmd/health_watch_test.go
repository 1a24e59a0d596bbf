package cmd

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/rest"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
)

// changingServer serves Pods. In its second minute it cannot list them, in its third it does not respond.
type changingServer struct{ started time.Time }

func (s changingServer) RoundTrip(r *http.Request) (*http.Response, error) {
	minute := int(realClock().Sub(s.started) / time.Minute)
	handlers := fakeapi.Responses{
		"/version": fakeapi.Respond(`{"gitVersion":"v1.37.1"}`), "/api": fakeapi.Respond(discoveryOf("", "Current", "Pod")),
		"/apis": fakeapi.Respond(discoveryOf("example.com", "Current")), "/api/v1/pods": fakeapi.RespondList(),
	}
	switch minute {
	case 1:
		handlers["/api/v1/pods"] = fakeapi.RespondStatus(http.StatusInternalServerError, "InternalError")
	case 2:
		return nil, errors.New("connection reset")
	}
	w := httptest.NewRecorder()
	handlers.ServeHTTP(w, r)
	resp := w.Result()
	resp.Request = r
	return resp, nil
}

// The checks are repeated each minute until they are interrupted, after a run that fails too.
func TestHealthWatchRepeatsTheChecks(t *testing.T) {
	t.Setenv("KUBECONFIG", t.TempDir()+"/none")
	cache := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		server := changingServer{started: realClock()}
		flags := genericclioptions.NewConfigFlags(true).WithWrapConfigFn(func(*rest.Config) *rest.Config {
			return &rest.Config{Host: "http://api.example.com", Transport: server}
		})
		flags.CacheDir = &cache
		var out, errOut bytes.Buffer
		p := New(genericiooptions.IOStreams{Out: &out, ErrOut: &errOut}, realClock)
		p.terminal = &errOut
		o, err := healthFlags{checks: []string{"list"}, duration: 3 * time.Second, watch: true}.options(p, flags, []string{"pods"})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute+30*time.Second)
		defer cancel()
		if err := o.Run(ctx); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		for _, want := range []string{
			"1 of 1 type can be listed", "new  PROBLEM  pods cannot be listed (list)", "the checks failed: ", "the checks run again",
			"ended  PROBLEM  pods cannot be listed (list), first seen 2m ago", "Watched for 3m30s: 4 runs of the checks (1 failed), 1 finding, of which 1 ended.", "1 of 3  ended ",
		} {
			_, after, found := strings.Cut(text, want)
			if !found {
				t.Fatalf("it does not say %q where it should:\n%s%s", want, out.String(), errOut.String())
			}
			text = after
		}
	})
}
