package live

import (
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
)

const (
	// defaultRequestTimeout is how long an answer may take where --request-timeout
	// does not say, or where the answer is read as it arrives, how long nothing
	// of it may come. A type whose server does not respond must not hold up the
	// others. It is more than the 30 s that kube-apiserver gives a conversion
	// webhook (apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go):
	// a client that gives up at the same moment never gets the error
	// "conversion webhook for ... failed", which is the cause.
	defaultRequestTimeout = 40 * time.Second
	// maxPageTime is how long a page of a list may take though something of it
	// keeps arriving. The API server itself ends a request after a minute
	// (--request-timeout of kube-apiserver), so whoever sends for longer is no
	// API server, or something between holds it up.
	maxPageTime = 2 * time.Minute
	// maxAnswerBytes is how much is read into memory at once, of all answers under
	// way together: eight at once would otherwise be eight times as much, and the process
	// needs three times as much. A page of 500 whole objects of a quarter of a MiB each, of
	// which etcd takes no more than 1.5, is as large; discovery of 20,000 types is a fifth of it.
	maxAnswerBytes = 128 << 20
	// maxReviewBytes is how much of an answer is read to a write, or to a question
	// about the user: it is metadata, of which etcd takes no more than 1.5 MiB.
	maxReviewBytes = 8 << 20
	// maxListedObjects is how many whole objects one list may hold. They are kept
	// in memory, and Kubernetes' own limits are below it
	// (150,000 Pods in a cluster, https://kubernetes.io/docs/setup/best-practices/cluster-large/).
	maxListedObjects = 200_000
)

// sizeError is the error of an answer that is too large.
type sizeError struct{ limit int64 }

func (e *sizeError) Error() string {
	return fmt.Sprintf("the answer is too large: no more than %d MiB are read at once", e.limit>>20)
}

// answerBytes counts what is being read into memory.
type answerBytes struct {
	limit   int64
	reading atomic.Int64
}

// sizeTransport limits answers that are read into memory whole. Answers that
// are read as they arrive have readers with limits of their own; the message of
// an error is read whole in any case.
type sizeTransport struct {
	bytes      *answerBytes
	errorsOnly bool
	next       http.RoundTripper
}

// WriteConfig is a configuration for clients that write: they follow no redirect to
// another server, and refuse answers that are too large to be one to a write.
func WriteConfig(config *rest.Config) *rest.Config {
	return LimitAnswers(RefuseRedirects(rest.CopyConfig(config)))
}

// LimitAnswers makes every client of the configuration refuse answers that are too
// large to be one to a write, or to a question about the user.
func LimitAnswers(config *rest.Config) *rest.Config {
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return &sizeTransport{bytes: &answerBytes{limit: maxReviewBytes}, next: next}
	})
	return config
}

func (t *sizeTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	if err == nil && (!t.errorsOnly || resp.StatusCode >= http.StatusMultipleChoices) {
		resp.Body = &sizeLimitedBody{ReadCloser: resp.Body, bytes: t.bytes}
	}
	return resp, err
}

// WrappedRoundTripper lets client-go find the transport whose requests it
// cancels.
func (t *sizeTransport) WrappedRoundTripper() http.RoundTripper { return t.next }

// sizeLimitedBody ends with an error when too much is read. io.LimitedReader would
// end as if that were all.
type sizeLimitedBody struct {
	io.ReadCloser
	bytes *answerBytes
	read  atomic.Int64
}

func (b *sizeLimitedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read.Add(int64(n))
	if b.bytes.reading.Add(int64(n)) > b.bytes.limit {
		return n, &sizeError{b.bytes.limit}
	}
	return n, err
}

// Close makes room for other answers.
func (b *sizeLimitedBody) Close() error {
	b.bytes.reading.Add(-b.read.Swap(0))
	return b.ReadCloser.Close()
}
