// Package faults is a proxy before an API server that answers some requests as a broken server, a broken network or a
// broken proxy would. Which requests, and how, follows from a seed: what a seed showed once can be looked at again.
package faults

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httputil"
	"strconv"
	"sync"
	"time"
)

// Kind is a way to answer wrongly.
type Kind string

// The kinds. Each is something that API servers, load balancers and proxies were seen to do.
const (
	Late       Kind = "late"       // the answer takes a second
	Silent     Kind = "silent"     // no answer, and no end
	Cut        Kind = "cut"        // the connection ends in the middle of the answer
	Garbled    Kind = "garbled"    // the second half of the answer is noise
	Empty      Kind = "empty"      // 200 without a body
	WrongDate  Kind = "wrong-date" // the Date header is a day ahead
	Redirected Kind = "redirected" // to another host
	NotFound   Kind = "404"
	NotAllowed Kind = "405"
	Gone       Kind = "410"
	TooMany    Kind = "429"
	Internal   Kind = "500"
	NotReady   Kind = "503"
	TimedOut   Kind = "504"
)

// Kinds are all of them.
func Kinds() []Kind {
	return []Kind{Late, Silent, Cut, Garbled, Empty, WrongDate, Redirected, NotFound, NotAllowed, Gone, TooMany, Internal, NotReady, TimedOut}
}

// Schedule says which requests are answered wrongly.
type Schedule struct {
	Kind Kind
	Seed uint64
	// OneIn is how many paths there are to one that is answered wrongly: 1 means all.
	OneIn uint64
	// Once is whether only the first request for such a path is, so that who asks again gets the answer.
	Once bool
}

// String is how a schedule is named in a test's output.
func (s Schedule) String() string {
	return fmt.Sprintf("%s,1 in %d,once=%t,seed=%d", s.Kind, s.OneIn, s.Once, s.Seed)
}

// Random is the schedule of a seed.
func Random(seed uint64) Schedule {
	kinds := Kinds()
	return Schedule{Kind: kinds[seed%uint64(len(kinds))], Seed: seed, OneIn: []uint64{1, 3, 10, 40}[hash(seed, "one in")%4], Once: hash(seed, "once")%3 == 0}
}

func hash(seed uint64, text string) uint64 {
	h := fnv.New64a()
	_ = binary.Write(h, binary.LittleEndian, seed)
	_, _ = io.WriteString(h, text)
	return h.Sum64()
}

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

// ServeHTTP answers wrongly, or passes on.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.isChosen(r) {
		switch kind := p.schedule.Kind; kind {
		case Late:
			select {
			case <-time.After(time.Second):
			case <-r.Context().Done():
			}
		case Silent:
			<-r.Context().Done()
			return
		case Empty:
			w.WriteHeader(http.StatusOK)
			return
		case Redirected:
			http.Redirect(w, r, "https://elsewhere.example.com"+r.URL.Path, http.StatusFound)
			return
		case Cut, Garbled, WrongDate:
			r.Header.Set(chosenHeader, "true")
		default:
			refuse(w, kind)
			return
		}
	}
	p.note(r)
	p.next.ServeHTTP(w, r)
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
	asksOnly := r.Method == http.MethodGet || r.URL.Query().Get("dryRun") != "" || bytes.Contains([]byte(r.URL.Path), []byte("/authorization.k8s.io/")) ||
		bytes.Contains([]byte(r.URL.Path), []byte("/authentication.k8s.io/"))
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
		return r.Body.Close() // a stream has no middle
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	half := len(body) / 2
	if p.schedule.Kind == Garbled {
		for i := half; i < len(body); i++ {
			body[i] ^= 0x5a
		}
		half = len(body)
	}
	// The length stays that of the whole: what is cut is noticed by who counts.
	r.Body = io.NopCloser(bytes.NewReader(body[:half]))
	return nil
}
