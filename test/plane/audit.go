package plane

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"time"

	"k8s.io/client-go/kubernetes"
)

// auditPolicy records who asked for what and what came of it, and what was in a patch.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Request
  verbs: [patch]
- level: Metadata
`

func (p *Plane) writeAuditPolicy() error { return p.write("audit-policy.yaml", []byte(auditPolicy)) }

// AuditLog is the file in which the API server records every request, as lines of JSON.
func (p *Plane) AuditLog() string { return p.file("audit.log") }

// auditLogOf is the audit log of one of two API servers. That of the second is not read.
func (p *Plane) auditLogOf(name string) string {
	if name == SecondAPIServer {
		return p.file("audit-2.log")
	}
	return p.AuditLog()
}

// Request is one request as the API server recorded it.
type Request struct {
	Verb      string
	URI       string
	User      string
	UserAgent string
	DryRun    bool
	Code      int
	Time      time.Time
	// Body is what a patch held. It is empty for other requests.
	Body json.RawMessage
}

// Mark is a moment in the audit log.
type Mark struct {
	offset int64
	time   time.Time
}

// Mark is now: [Plane.Requests] gives what came later.
func (p *Plane) Mark(ctx context.Context) (Mark, error) {
	flush, err := p.flushAudit(ctx)
	return Mark{offset: flush.after, time: time.Now()}, err
}

// Requests are the requests of all users that were made since the mark, in the order in which they were answered.
// A watch is there as soon as it has begun.
func (p *Plane) Requests(ctx context.Context, since Mark) ([]Request, error) {
	flush, err := p.flushAudit(ctx)
	if err != nil {
		return nil, err
	}
	content, err := p.readAudit(since.offset)
	if err != nil {
		return nil, err
	}
	var requests []Request
	position := map[string]int{}
	for line := range bytes.Lines(content[:max(0, flush.before-since.offset)]) {
		var event event
		if err := json.Unmarshal(line, &event); err != nil {
			return nil, fmt.Errorf("reading the audit log: %w", err)
		}
		i, seen := position[event.AuditID]
		switch {
		case event.Time.Before(since.time.Truncate(time.Microsecond)):
		case seen: // a later stage of the same request
			requests[i] = event.request()
		default:
			position[event.AuditID] = len(requests)
			requests = append(requests, event.request())
		}
	}
	return requests, nil
}

// event is what is read of a line of the audit log.
type event struct {
	AuditID   string
	Verb      string
	URI       string `json:"requestURI"`
	User      struct{ Username string }
	UserAgent string
	Time      time.Time          `json:"requestReceivedTimestamp"`
	Response  struct{ Code int } `json:"responseStatus"`
	Body      json.RawMessage    `json:"requestObject"`
}

func (e event) request() Request {
	address, err := url.Parse(e.URI)
	return Request{
		Verb:      e.Verb,
		URI:       e.URI,
		User:      e.User.Username,
		UserAgent: e.UserAgent,
		DryRun:    err == nil && address.Query().Has("dryRun"),
		Code:      e.Response.Code,
		Time:      e.Time,
		Body:      e.Body,
	}
}

// flush is where the line of a request stands in the audit log that was made so that all earlier ones stand before it.
type flush struct{ before, after int64 }

func (p *Plane) flushAudit(ctx context.Context) (flush, error) {
	start, err := os.Stat(p.AuditLog())
	if err != nil {
		return flush{}, fmt.Errorf("finding the audit log: %w", err)
	}
	id := rand.Text()
	err = p.asAdmin(ctx, func(ctx context.Context, client kubernetes.Interface) error {
		_, err := client.Discovery().RESTClient().Get().AbsPath("/version").Param("flush", id).DoRaw(ctx)
		return err
	})
	if err != nil {
		return flush{}, fmt.Errorf("marking the audit log: %w", err)
	}
	var found flush
	err = p.await(ctx, "the audit log", func(context.Context) error {
		offset := start.Size()
		content, err := p.readAudit(offset)
		if err != nil {
			return err
		}
		for line := range bytes.Lines(content) {
			found = flush{before: offset, after: offset + int64(len(line))}
			if bytes.Contains(line, []byte(id)) && bytes.HasSuffix(line, []byte("\n")) {
				return nil
			}
			offset = found.after
		}
		return fmt.Errorf("request %s is not in it yet", id)
	})
	return found, err
}

func (p *Plane) readAudit(offset int64) ([]byte, error) {
	file, err := os.Open(p.AuditLog())
	if err != nil {
		return nil, fmt.Errorf("opening the audit log: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	content, err := io.ReadAll(io.NewSectionReader(file, offset, math.MaxInt64-offset))
	if err != nil {
		return nil, fmt.Errorf("reading the audit log: %w", err)
	}
	return content, nil
}
