package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/pager"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// reader is what the plugin is compared with: a program of its own that reads the metadata of all objects.
type reader struct {
	config   *rest.Config
	inFlight int
	version  string
	gzip     bool
}

// read runs a reader in this process, which was started for it.
func read(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("say what to read with: wire, or pager")
	}
	var r reader
	flags := flag.NewFlagSet("read", flag.ContinueOnError)
	flags.IntVar(&r.inFlight, "in-flight", cluster.MaxConcurrentRequests, "requests at the same time")
	flags.StringVar(&r.version, "resource-version", "", "the resourceVersion to ask for")
	flags.BoolVar(&r.gzip, "gzip", false, "let the server compress")
	if err := flags.Parse(args[1:]); err != nil {
		return fmt.Errorf("reading the flags: %w", err)
	}
	var err error
	if r.config, err = clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG")); err != nil {
		return fmt.Errorf("reading the kubeconfig: %w", err)
	}
	r.config.QPS = -1
	r.config.DisableCompression = !r.gzip
	types, err := r.types(ctx)
	if err != nil {
		return err
	}
	if args[0] == "pager" {
		return r.pager(ctx, types)
	}
	return r.wire(ctx, types)
}

func (r reader) types(ctx context.Context) ([]stuck.Type, error) {
	server, err := live.Connect(r.config, time.Now)
	if err != nil {
		return nil, err
	}
	types, _, err := server.Types(ctx)
	return cluster.SurveyedTypes(types, ""), err
}

// wire requests each type once and throws away what comes.
func (r reader) wire(ctx context.Context, types []stuck.Type) error {
	client, err := rest.HTTPClientFor(r.config)
	if err != nil {
		return fmt.Errorf("setting up the client: %w", err)
	}
	return r.all(ctx, types, func(ctx context.Context, t stuck.Type) error {
		path := "/apis/" + t.Group
		if t.Group == "" {
			path = "/api"
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.config.Host+path+"/"+t.Version+"/"+t.Resource+"?resourceVersion="+r.version, nil)
		if err != nil {
			return fmt.Errorf("asking for %s: %w", t, err)
		}
		req.Header.Set("Accept", "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1")
		resp, err := client.Do(req)
		if err != nil {
			return fmt.Errorf("asking for %s: %w", t, err)
		}
		_, err = io.Copy(io.Discard, resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			return errors.Join(fmt.Errorf("reading %s: %s", t, resp.Status), err)
		}
		return resp.Body.Close()
	})
}

// pager reads each type with client-go's metadata client, page by page.
func (r reader) pager(ctx context.Context, types []stuck.Type) error {
	client, err := metadata.NewForConfig(r.config)
	if err != nil {
		return fmt.Errorf("setting up the client: %w", err)
	}
	return r.all(ctx, types, func(ctx context.Context, t stuck.Type) error {
		pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return client.Resource(t.GVR()).List(ctx, options)
		})
		if err := pages.EachListItem(ctx, metav1.ListOptions{}, func(runtime.Object) error { return nil }); err != nil {
			return fmt.Errorf("reading %s: %w", t, err)
		}
		return nil
	})
}

func (r reader) all(ctx context.Context, types []stuck.Type, one func(context.Context, stuck.Type) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(r.inFlight)
	for _, t := range types {
		group.Go(func() error { return one(ctx, t) })
	}
	return group.Wait()
}
