package live

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/version"
	apiversion "k8s.io/apimachinery/pkg/version"
)

// serverInfo is what a server reports about itself.
type serverInfo struct {
	version string
	err     error
	// listsFromCache says that it lists from its cache.
	listsFromCache bool
}

const (
	// fullPageSize is what is asked for at once of a server that lists from its
	// cache, and encodes what it sends bit by bit: both are in every server
	// from 1.34 on (ConsistentListFromCache and
	// StreamingCollectionEncodingToProtobuf, apiserver/pkg/features). It is
	// all that there is: second pages of types in which nothing has happened
	// for a while come from etcd, at many times the cost. Still it is a limit:
	// without one, a server whose cache cannot be filled, because of an object
	// that it cannot read, does not say which (cacher/delegator.go).
	fullPageSize = 1_000_000
	// remotePageSize is what comes over a slow connection within the minute that an
	// answer may take.
	remotePageSize = 10_000
	// localRTT is the longest way to a server that is in the same place, with
	// bandwidth enough: to compress would take the server more time than it
	// saves.
	localRTT = 10 * time.Millisecond
)

var minCachedListVersion = version.MustParseGeneric("1.34.0")

// Version asks the server for its version.
func (s *Server) Version(ctx context.Context) (string, error) {
	n := s.loadInfo(ctx)
	return n.version, n.err
}

// loadInfo looks at the server for the first time, or says what that told.
func (s *Server) loadInfo(ctx context.Context) serverInfo {
	s.infoMu.Lock()
	defer s.infoMu.Unlock()
	if n := s.info.Load(); n != nil {
		return *n
	}
	n := s.fetchInfo(ctx)
	if ctx.Err() == nil {
		s.info.Store(&n)
	}
	return n
}

// fetchInfo asks for the version. What the user may not see, or cannot be read,
// makes it an old one.
func (s *Server) fetchInfo(ctx context.Context) serverInfo {
	n := serverInfo{}
	body, err := sendRead(ctx, s, func(ctx context.Context) ([]byte, error) {
		return s.discovery.RESTClient().Get().AbsPath("/version").Do(ctx).Raw()
	})
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
	n.listsFromCache = err == nil && v.AtLeast(minCachedListVersion)
	return n
}

// pageSize is how many objects are asked for at once.
func (s *Server) pageSize(ctx context.Context) int64 {
	switch cached := s.loadInfo(ctx).listsFromCache; {
	case cached && s.isLocal():
		return fullPageSize
	case cached:
		return remotePageSize
	}
	return defaultPageSize
}

// isLocal reports whether the server is close by: whether any answer has come so soon.
func (s *Server) isLocal() bool { return time.Duration(s.minRTT.Load()) < localRTT }

// recordRTT notes how long an answer took.
func (s *Server) recordRTT(rtt time.Duration) {
	for {
		minRTT := s.minRTT.Load()
		if int64(rtt) >= minRTT || s.minRTT.CompareAndSwap(minRTT, int64(rtt)) {
			return
		}
	}
}
