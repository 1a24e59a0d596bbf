// Package faults is a proxy before an API server that answers some requests as a broken server, a broken network or a
// broken proxy would. Which requests, and how, follows from a seed: what a seed showed once can be looked at again.
package faults

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Proxy answers by a schedule what it does not pass on. It counts the writes that it passed on.
type Proxy struct {
	next     *httputil.ReverseProxy
	schedule Schedule
	mu       sync.Mutex
	met      map[string]bool
	writes   []string
}

// New is a proxy before a server.
func New(next *httputil.ReverseProxy, schedule Schedule) *Proxy {
	p := &Proxy{next: next, schedule: schedule, met: map[string]bool{}}
	next.ModifyResponse = p.spoil
	return p
}

// Writes are the writes that were passed on and that were no dry runs and no questions about rights.
func (p *Proxy) Writes() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.writes
}

// HasAnsweredWrongly reports whether a request was chosen.
func (p *Proxy) HasAnsweredWrongly() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.met) > 0
}

// ServeHTTP answers wrongly, or passes on.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.isChosen(r) && p.answer(w, r) {
		return
	}
	p.note(r)
	p.next.ServeHTTP(w, r)
}

// answer answers wrongly, and reports whether nothing is left to do. What is spoiled of a real answer is left to [Proxy.spoil].
func (p *Proxy) answer(w http.ResponseWriter, r *http.Request) bool {
	switch kind := p.schedule.Kind; kind {
	case Late:
		select {
		case <-time.After(time.Second):
		case <-r.Context().Done():
		}
		return false
	case Cut, CutClean, SilentBody, Garbled, WrongDate:
		r.Header.Set(chosenHeader, "true")
		return false
	case Silent:
		<-r.Context().Done()
	case Closed:
		panic(http.ErrAbortHandler)
	case Empty:
		w.WriteHeader(http.StatusOK)
	case Page:
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html><body>Log in to continue</body></html>")
	case Endless, Bomb:
		respondEndlessly(w, r, kind == Bomb)
	case EndlessPages:
		fmt.Fprintf(w, `{"kind":"List","apiVersion":"v1","metadata":{"continue":"%d"},"items":[]}`, time.Now().UnixNano())
	case Redirected:
		http.Redirect(w, r, "https://elsewhere.example.com"+r.URL.Path, http.StatusFound)
	default:
		refuse(w, kind)
	}
	return true
}

// chosenHeader marks a request whose answer is to be spoiled.
const chosenHeader = "X-Chosen"

// isChosen decides by the path alone: a command asks in no certain order.
func (p *Proxy) isChosen(r *http.Request) bool {
	path := r.Method + " " + r.URL.Path
	if hash(p.schedule.Seed, path)%p.schedule.OneIn != 0 {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	again := p.met[path]
	p.met[path] = true
	return !again || !p.schedule.Once
}

func (p *Proxy) note(r *http.Request) {
	asksOnly := r.Method == http.MethodGet || r.URL.Query().Get("dryRun") != "" || strings.Contains(r.URL.Path, "/authorization.k8s.io/") ||
		strings.Contains(r.URL.Path, "/authentication.k8s.io/")
	if asksOnly {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writes = append(p.writes, r.Method+" "+r.URL.String())
}

// refuse answers with a status as an API server writes it.
func refuse(w http.ResponseWriter, kind Kind) {
	code, err := strconv.Atoi(string(kind))
	if err != nil {
		panic(err)
	}
	if kind == TooMany || kind == NotReady {
		w.Header().Set("Retry-After", "1")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"scripted","reason":%q,"code":%d}`, reasons[kind], code)
}

// reasons are those that an API server gives with a status (apimachinery pkg/apis/meta/v1/types.go).
var reasons = map[Kind]string{
	NotFound: "NotFound", NotAllowed: "MethodNotAllowed", Gone: "Expired", TooMany: "TooManyRequests", Internal: "InternalError",
	NotReady: "ServiceUnavailable", TimedOut: "Timeout",
}

// spoil changes the answer to a request that was chosen.
func (p *Proxy) spoil(r *http.Response) error {
	if r.Request.Header.Get(chosenHeader) == "" {
		return nil
	}
	if p.schedule.Kind == WrongDate {
		r.Header.Set("Date", time.Now().Add(24*time.Hour).UTC().Format(http.TimeFormat))
		return nil
	}
	if r.Request.URL.Query().Get("watch") != "" {
		if p.schedule.Kind == SilentBody {
			return nil // a watch is silent for most of its time
		}
		return r.Body.Close() // a stream has no middle
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	half := len(body) / 2
	switch p.schedule.Kind {
	case Garbled:
		for i := half; i < len(body); i++ {
			body[i] ^= 0x5a
		}
		half = len(body)
	case CutClean:
		r.ContentLength = int64(half)
		r.Header.Set("Content-Length", strconv.Itoa(half))
	case SilentBody:
		r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body[:half]), silence(r.Request.Context().Done())))
		return nil
	}
	// The length of one that is cut stays that of the whole: it is noticed by who counts.
	r.Body = io.NopCloser(bytes.NewReader(body[:half]))
	return nil
}
