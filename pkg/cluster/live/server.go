package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	authorizationv1 "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/wire"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// defaultPageSize is kubectl's own.
const defaultPageSize = 500

// Server is the API server as a Source.
type Server struct {
	discovery     *discovery.DiscoveryClient
	metadata      metadata.Interface
	dynamic       dynamic.Interface
	accessReviews authorizationv1.SelfSubjectAccessReviewsGetter
	// listClient asks for what is read as it arrives, with readers that are not in use.
	listClient rest.Interface
	// deleteClient sends dry runs of deletions, whose answers are read whole.
	deleteClient rest.Interface
	readerPool   sync.Pool
	// ownWatches are the watches that Follow has open.
	ownWatches ownWatches
	// scanVersions are the versions that scans have reached.
	scanVersions sync.Map
	// compressionDisabled says that the user wants nothing compressed.
	compressionDisabled bool
	// requestTimeout is how long a request may take.
	requestTimeout time.Duration
	// answerBytes is how much is being read into memory.
	answerBytes answerBytes
	// watchClient is metadata for watches, and for the informers of a health
	// examination: both may be longer than an answer that is read at once.
	watchClient metadata.Interface
	// info is what the first look at the server told, nil before it.
	info   atomic.Pointer[serverInfo]
	infoMu sync.Mutex
	// serverClock is what the answers told of the server's clock.
	serverClock serverClock
	// minRTT is the least time that an answer has taken, in nanoseconds.
	minRTT atomic.Int64
	// clock is our own clock.
	clock func() time.Time
	// slots holds one entry for each request that is under way.
	slots chan struct{}
}

// Connect prepares the clients; it sends nothing yet.
func Connect(config *rest.Config, clock func() time.Time) (*Server, error) {
	s := &Server{
		clock: clock, slots: make(chan struct{}, cluster.MaxConcurrentRequests), compressionDisabled: config.DisableCompression,
		requestTimeout: cmp.Or(config.Timeout, defaultRequestTimeout),
	}
	s.answerBytes.limit = maxAnswerBytes
	config = rest.CopyConfig(config)
	// The number of requests in flight is the limit here. A second one, in
	// requests a second, would only add waiting.
	config.QPS = -1
	config.WarningHandler = rest.NoWarnings{}
	if config.UserAgent == "" {
		config.UserAgent = rest.DefaultKubernetesUserAgent()
	}
	config.Wrap(limitHTTP2Buffer)
	RefuseRedirects(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &dateTransport{server: s, next: next} })
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &noWriteTransport{next} })
	s.readerPool.New = func() any { return wire.NewReader() }
	s.minRTT.Store(math.MaxInt64)
	return s, s.openClients(config)
}

// openClients prepares the clients, which share their connections.
func (s *Server) openClients(config *rest.Config) error {
	unlimited, err := rest.HTTPClientFor(config)
	if err != nil {
		return fmt.Errorf("setting up the connection: %w", err)
	}
	client, streaming := *unlimited, *unlimited
	client.Transport = &sizeTransport{bytes: &s.answerBytes, next: unlimited.Transport}
	streaming.Transport = &sizeTransport{bytes: &s.answerBytes, next: unlimited.Transport, errorsOnly: true}
	if s.discovery, err = discovery.NewDiscoveryClientForConfigAndClient(config, &client); err != nil {
		return fmt.Errorf("setting up the discovery client: %w", err)
	}
	if s.metadata, err = metadata.NewForConfigAndClient(config, &client); err != nil {
		return fmt.Errorf("setting up the metadata client: %w", err)
	}
	if s.watchClient, err = metadata.NewForConfigAndClient(config, &streaming); err != nil {
		return fmt.Errorf("setting up the client for watches: %w", err)
	}
	if s.dynamic, err = dynamic.NewForConfigAndClient(config, &client); err != nil {
		return fmt.Errorf("setting up the dynamic client: %w", err)
	}
	if s.accessReviews, err = authorizationv1.NewForConfigAndClient(config, &client); err != nil {
		return fmt.Errorf("setting up the client for access reviews: %w", err)
	}
	if s.listClient, err = newRawClient(config, &streaming); err != nil {
		return fmt.Errorf("setting up the client for lists: %w", err)
	}
	if s.deleteClient, err = newRawClient(config, &client); err != nil {
		return fmt.Errorf("setting up the client for dry runs of deletions: %w", err)
	}
	return nil
}

// dateTransport learns the server's time from the Date of its answers: ages and
// leases are judged by the clock that wrote them, not by that of a laptop.
type dateTransport struct {
	server *Server
	next   http.RoundTripper
}

func (c *dateTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	start := c.server.clock()
	resp, err := c.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	c.server.recordRTT(c.server.clock().Sub(start))
	if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		c.server.serverClock.observe(date.Sub(c.server.clock()))
	}
	return resp, nil
}

// WrappedRoundTripper lets client-go find the transport whose requests it
// cancels. It would complain on standard error if it could not.
func (c *dateTransport) WrappedRoundTripper() http.RoundTripper { return c.next }

// Now is the server's time, as far as its answers told it.
func (s *Server) Now() time.Time { return s.clock().Add(s.ClockSkew()) }

// ClockSkew is how far the server's clock is ahead of ours, as far as its answers
// told it.
func (s *Server) ClockSkew() time.Duration { return s.serverClock.skew() }

// ClockSpread is how far the times in the server's answers differ from each other.
func (s *Server) ClockSpread() time.Duration { return s.serverClock.spread() }

// ResetClockSpread lets ClockSpread begin again with the next answer: a Date that was wrong once
// says nothing of a later run.
func (s *Server) ResetClockSpread() { s.serverClock.resetSpread() }

// Metadata reads the metadata of one object.
func (s *Server) Metadata(ctx context.Context, t stuck.Type, namespace, name string) (*metav1.PartialObjectMetadata, error) {
	if err := checkPathSegments(namespace, name); err != nil {
		return nil, err
	}
	return sendRead(ctx, s, func(ctx context.Context) (*metav1.PartialObjectMetadata, error) {
		return s.metadata.Resource(t.GVR()).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	})
}

// errSecretContents is what a cause would get that asked for a Secret's contents.
var errSecretContents = errors.New("the contents of secrets are never read")

// Get reads one whole object.
func (s *Server) Get(ctx context.Context, t stuck.Type, namespace, name string) (*unstructured.Unstructured, error) {
	if t.IsSecret() {
		return nil, errSecretContents
	}
	if err := checkPathSegments(namespace, name); err != nil {
		return nil, err
	}
	return sendRead(ctx, s, func(ctx context.Context) (*unstructured.Unstructured, error) {
		return s.dynamic.Resource(t.GVR()).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	})
}
