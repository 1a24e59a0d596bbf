package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/util/version"
	apiversion "k8s.io/apimachinery/pkg/version"
)

// nature is what the first answer of a server tells of it, and how long lists
// are asked for because of that.
type nature struct {
	version string
	err     error
	// page is how many objects are asked for at once.
	page int64
	// near says that the server is close by.
	near bool
}

const (
	// wholePage is what is asked for at once of a server that lists from its
	// cache, and encodes what it sends bit by bit: both are in every server
	// from 1.34 on (ConsistentListFromCache and
	// StreamingCollectionEncodingToProtobuf, apiserver/pkg/features). It is
	// all that there is: second pages of types in which nothing has happened
	// for a while come from etcd, at many times the cost. Still it is a limit:
	// without one, a server whose cache cannot be filled, because of an object
	// that it cannot read, does not say which (cacher/delegator.go).
	wholePage = 1_000_000
	// farPage is what comes over a slow connection within the minute that an
	// answer may take.
	farPage = 10_000
	// closeBy is the longest way to a server that is in the same place, with
	// bandwidth enough: to compress would take the server more time than it
	// saves.
	closeBy = 10 * time.Millisecond
)

var cachedSince = version.MustParseGeneric("1.34.0")

// Version asks the server for its version.
func (s *Server) Version(ctx context.Context) (string, error) {
	n := s.learn(ctx)
	return n.version, n.err
}

// learn looks at the server for the first time, or says what that told.
func (s *Server) learn(ctx context.Context) nature {
	s.look.Lock()
	defer s.look.Unlock()
	if n := s.nature.Load(); n != nil {
		return *n
	}
	n := s.ask(ctx)
	if ctx.Err() == nil {
		s.nature.Store(&n)
	}
	return n
}

// ask asks for the version, and takes the time from question to answer. What
// the user may not see, or cannot be read, changes nothing else.
func (s *Server) ask(ctx context.Context) nature {
	n := nature{page: pageSize}
	var asked, answered atomic.Pointer[time.Time]
	note := func(when *atomic.Pointer[time.Time]) {
		now := s.clock()
		when.Store(&now)
	}
	ctx, cancel := context.WithTimeout(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest:         func(httptrace.WroteRequestInfo) { note(&asked) },
		GotFirstResponseByte: func() { note(&answered) },
	}), patience)
	defer cancel()
	body, err := s.discovery.RESTClient().Get().AbsPath("/version").Do(ctx).Raw()
	if n.err = err; err != nil {
		return n
	}
	from, to := asked.Load(), answered.Load()
	n.near = from != nil && to != nil && to.Sub(*from) < closeBy
	var info apiversion.Info
	if err := json.Unmarshal(body, &info); err != nil {
		n.err = fmt.Errorf("reading the version of the server: %w", err)
		return n
	}
	n.version = info.GitVersion
	if v, err := version.ParseGeneric(info.GitVersion); err == nil && v.AtLeast(cachedSince) {
		n.page = farPage
		if n.near {
			n.page = wholePage
		}
	}
	return n
}
