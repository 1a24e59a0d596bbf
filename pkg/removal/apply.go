package removal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// Writer sends every write of the program, each as the plan shows it.
type Writer struct {
	client *rest.RESTClient
	// underWay is how many writes have begun, and are not yet verified.
	underWay atomic.Int64
}

// NewWriter prepares the client; it sends nothing yet. The configuration says what
// is refused of an answer: see live.WriteConfig.
func NewWriter(config *rest.Config) (*Writer, error) {
	config = rest.CopyConfig(config)
	config.QPS = -1 // the number of workers is the limit
	if config.Timeout == 0 {
		config.Timeout = writeTimeout
	}
	if config.UserAgent == "" {
		config.UserAgent = rest.DefaultKubernetesUserAgent() // as all other clients do by themselves
	}
	config.WarningHandler = rest.NoWarnings{}
	config.GroupVersion = &schema.GroupVersion{}
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	client, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("setting up the client that writes: %w", err)
	}
	return &Writer{client: client}, nil
}

// writeTimeout is how long a write may take. A webhook may take half a minute, and ^C
// does not end a write that has begun.
const writeTimeout = 40 * time.Second

// errNotSent says that a write was never sent.
var errNotSent = errors.New("not sent")

// begin counts a write as under way until its result is known.
func (w *Writer) begin() (end func()) {
	w.underWay.Add(1)
	return func() { w.underWay.Add(-1) }
}

// Busy reports whether writes are under way, which are finished even after the user has
// interrupted.
func (w *Writer) Busy() bool { return w.underWay.Load() > 0 }

// fieldManager is the name under which the program writes.
const fieldManager = "kubectl-finalizers"

// metadataOnly keeps the contents of the object out of the answer: the data of a Secret
// is never read.
const metadataOnly = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"

// Send sends one write, once, or asks as a dry run what would come of it. The
// error is that of the API server (k8s.io/apimachinery/pkg/api/errors). See mayBeWritten
// for the errors after which it is not known whether the write was done.
func (w *Writer) Send(ctx context.Context, r Request, dryRun bool) error {
	body, err := json.Marshal(r.Body)
	if err != nil {
		return fmt.Errorf("%w: encoding %s %s: %s", errNotSent, r.Verb, r.Path, err.Error())
	}
	kind := "application/json"
	if r.Verb == http.MethodPatch {
		kind = string(types.JSONPatchType)
	}
	// The caller reads the object again before it sends the request again.
	request := w.client.Verb(r.Verb).AbsPath(r.Path).Param("fieldManager", fieldManager).MaxRetries(0).
		SetHeader("Content-Type", kind).SetHeader("Accept", metadataOnly).Body(body)
	if dryRun {
		request = request.Param("dryRun", metav1.DryRunAll)
	}
	return request.Do(ctx).Error()
}
