package cluster

import (
	"net/http"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// unread is how much of one answer the connection takes in before it is read.
// Go's own limit is eight times that, for each of the answers that are under
// way: memory that would only hold what the reader is about to pass over.
const unread = 512 << 10

// narrow sets that limit on the transport that client-go has made.
func narrow(made http.RoundTripper) http.RoundTripper {
	for rt := made; rt != nil; {
		if t, ok := rt.(*http.Transport); ok && t != http.DefaultTransport && t.HTTP2 == nil {
			t.HTTP2 = &http.HTTP2Config{MaxReceiveBufferPerStream: unread}
			return made
		}
		wrapper, ok := rt.(utilnet.RoundTripperWrapper)
		if !ok {
			return made
		}
		rt = wrapper.WrappedRoundTripper()
	}
	return made
}
