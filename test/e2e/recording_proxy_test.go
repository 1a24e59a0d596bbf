package e2e

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// recordingProxy is a proxy between the plugin and the API server that hears every request, and can keep the plugin waiting.
type recordingProxy struct {
	address string

	mu       sync.Mutex
	requests []*http.Request
	answers  []recordedResponse
}

// recordedResponse is what the API server said to a request.
type recordedResponse struct{ path, body string }

// startRecordingProxy puts an ear before the plane. The requests for which hold is true get no answer.
func startRecordingProxy(t *testing.T, p *plane.Plane, hold func(*http.Request) bool) *recordingProxy {
	t.Helper()
	e := &recordingProxy{}
	proxy := reverseProxy(t, p)
	proxy.ModifyResponse = e.recordResponse
	e.address = serveProxy(t, proxy, func(_ http.ResponseWriter, r *http.Request) bool {
		e.mu.Lock()
		e.requests = append(e.requests, r.Clone(r.Context()))
		e.mu.Unlock()
		held := hold != nil && hold(r)
		if held {
			<-r.Context().Done()
		}
		r.Header.Del("Accept-Encoding") // answers are to be read here
		return held
	})
	return e
}

// recordResponse keeps an answer and passes it on.
func (e *recordingProxy) recordResponse(r *http.Response) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	e.mu.Lock()
	defer e.mu.Unlock()
	e.answers = append(e.answers, recordedResponse{r.Request.URL.Path, string(body)})
	return nil
}

// requestsTo are the requests so far whose path holds some words.
func (e *recordingProxy) requestsTo(words string) []*http.Request {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(e.requests), func(r *http.Request) bool { return !strings.Contains(r.URL.Path, words) })
}

// responses are the answers so far.
func (e *recordingProxy) responses() []recordedResponse {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.answers)
}
