package live

import (
	"net/http"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// http2ReceiveBuffer is how much of one answer the connection takes in before it is read.
// Go's own limit is eight times that, for each of the answers that are under
// way: memory that would only hold what the reader is about to pass over.
const http2ReceiveBuffer = 512 << 10

// limitHTTP2Buffer sets that limit on the transport that client-go has made.
func limitHTTP2Buffer(transport http.RoundTripper) http.RoundTripper {
	for rt := transport; rt != nil; {
		if t, ok := rt.(*http.Transport); ok && t != http.DefaultTransport && t.HTTP2 == nil {
			t.HTTP2 = &http.HTTP2Config{MaxReceiveBufferPerStream: http2ReceiveBuffer}
			return transport
		}
		wrapper, ok := rt.(utilnet.RoundTripperWrapper)
		if !ok {
			return transport
		}
		rt = wrapper.WrappedRoundTripper()
	}
	return transport
}
