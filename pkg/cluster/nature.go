package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/version"
	apiversion "k8s.io/apimachinery/pkg/version"
)

// nature is what a server tells of itself.
type nature struct {
	version string
	err     error
	// cached says that it lists from its cache.
	cached bool
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

// ask asks for the version. What the user may not see, or cannot be read,
// makes it an old one.
func (s *Server) ask(ctx context.Context) nature {
	n := nature{}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	body, err := s.discovery.RESTClient().Get().AbsPath("/version").Do(ctx).Raw()
	if n.err = err; err != nil {
		return n
	}
	var info apiversion.Info
	if err := json.Unmarshal(body, &info); err != nil {
		n.err = fmt.Errorf("reading the version of the server: %w", err)
		return n
	}
	n.version = info.GitVersion
	v, err := version.ParseGeneric(info.GitVersion)
	n.cached = err == nil && v.AtLeast(cachedSince)
	return n
}

// page is how many objects are asked for at once.
func (s *Server) page(ctx context.Context) int64 {
	switch cached := s.learn(ctx).cached; {
	case cached && s.near():
		return wholePage
	case cached:
		return farPage
	}
	return pageSize
}

// near says whether the server is close by: whether any answer has come so soon.
func (s *Server) near() bool { return time.Duration(s.soonest.Load()) < closeBy }

// answered notes how long an answer took.
func (s *Server) answered(took time.Duration) {
	for {
		soonest := s.soonest.Load()
		if int64(took) >= soonest || s.soonest.CompareAndSwap(soonest, int64(took)) {
			return
		}
	}
}
