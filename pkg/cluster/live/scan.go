package live

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/wire"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// newRawClient is a client for requests whose paths are made here. It keeps what
// client-go does around them: credentials, retries when the server asks for
// them, errors in the words of the API.
func newRawClient(config *rest.Config, client *http.Client) (rest.Interface, error) {
	config = metadata.ConfigFor(config)
	config.GroupVersion = &schema.GroupVersion{}
	return rest.RESTClientForConfigAndClient(config, client)
}

// Scan visits each selected object of the type as it arrives.
//
// It asks for the newest state, as kubectl does. From 1.34 on the API server
// answers that from its cache too, once it has made sure that the cache is not
// behind. The moment that is saved by not asking is not worth a list that does
// not show what has just been deleted.
func (s *Server) Scan(ctx context.Context, t stuck.Type, sel cluster.Selection, visit func(stuck.Object)) error {
	if err := checkPathSegments(sel.Namespace); err != nil {
		return err
	}
	if sel.Window.Limit > 0 {
		_, err := s.scanPage(ctx, t, s.listRequest(t, sel.Namespace, windowOptions(sel)), visit)
		return err
	}
	opts, pages := listOptions(sel), pageSequence{}
	if opts.Limit > 0 {
		opts.Limit = s.pageSize(ctx)
	}
	for {
		visited := 0
		count := func(o stuck.Object) { visited++; visit(o) }
		// A status comes before any object. A connection that broke in the middle of
		// a page is another matter: its objects have been visited.
		list, err := retryRead(ctx, s, isServerError, func() (wire.List, error) {
			return s.scanPage(ctx, t, s.listRequest(t, sel.Namespace, opts), count)
		})
		if err != nil {
			return err
		}
		if opts.Continue = list.Continue; opts.Continue == "" {
			s.scanVersions.Store(TypeSelection{Type: t, Selection: sel}.key(), list.ResourceVersion)
			return nil
		}
		if err := pages.follow(opts.Continue, visited); err != nil {
			return err
		}
	}
}

// windowOptions ask for a few objects from a key on, with a continue token that no list has returned: the API server takes any
// that is well formed, and one with the resourceVersion -1 asks for the newest state (apiserver/pkg/storage/continue.go).
func windowOptions(sel cluster.Selection) metav1.ListOptions {
	opts := listOptions(sel)
	opts.Limit = sel.Window.Limit
	if start := sel.Window.Start; start != "" {
		// Without an error: a string can be encoded.
		token, _ := json.Marshal(map[string]any{"v": "meta.k8s.io/v1", "rv": -1, "start": start})
		opts.Continue = base64.RawURLEncoding.EncodeToString(token)
	}
	return opts
}

// listRequest is the request for a page.
func (s *Server) listRequest(t stuck.Type, namespace string, opts metav1.ListOptions) *rest.Request {
	request := s.listClient.Get().AbsPath(t.Path(namespace)).SetHeader("Accept", wire.Accept).
		VersionedParams(&opts, metav1.ParameterCodec)
	if s.compressionDisabled || s.isLocal() {
		request.SetHeader("Accept-Encoding", "identity")
	}
	return request
}

// scanPage reads one page in its turn. A long list may take as long as it
// needs while something of it arrives.
func (s *Server) scanPage(ctx context.Context, t stuck.Type, request *rest.Request, visit func(stuck.Object)) (wire.List, error) {
	ctx, stop := cluster.LimitRead(ctx)
	defer stop()
	release, err := s.acquireSlot(ctx)
	if err != nil {
		return wire.List{}, err
	}
	defer release()
	ctx, stopPage := context.WithTimeout(ctx, max(maxPageTime, s.requestTimeout))
	defer stopPage()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idleTimer := time.AfterFunc(s.requestTimeout, func() { cancel(errIdleTimeout) })
	defer idleTimer.Stop()

	list, err := s.readPage(ctx, t, request, idleTimer, visit)
	err = cluster.ReadError(ctx, err)
	if err != nil && errors.Is(context.Cause(ctx), errIdleTimeout) {
		err = context.DeadlineExceeded
	}
	return list, err
}

// errIdleTimeout is why a request is given up of which nothing has come for long.
var errIdleTimeout = errors.New("silent for too long")

func (s *Server) readPage(ctx context.Context, t stuck.Type, request *rest.Request, idleTimer *time.Timer, visit func(stuck.Object)) (wire.List, error) {
	body, err := request.Stream(ctx)
	if err != nil {
		return wire.List{}, err
	}
	defer func() { _ = body.Close() }() // all that counts has been read, or an error
	reader := s.readerPool.Get().(*wire.Reader)
	defer s.readerPool.Put(reader)
	return reader.Read(&idleTimeoutReader{body, idleTimer, s.requestTimeout}, t, visit)
}

// idleTimeoutReader notes each sign of life in a body.
type idleTimeoutReader struct {
	io.Reader
	idleTimer *time.Timer
	timeout   time.Duration
}

func (h *idleTimeoutReader) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	if n > 0 {
		h.idleTimer.Reset(h.timeout)
	}
	return n, err
}
