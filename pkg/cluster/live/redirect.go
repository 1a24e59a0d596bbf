package live

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"k8s.io/client-go/rest"
)

// RefuseRedirects makes every client of the configuration refuse a redirect to
// another host or scheme. Go's client would follow it, and client-go would add
// the user's credentials to the new request, and the body of a write. It
// returns the configuration, so that it can be used where kubectl's own code
// makes one.
func RefuseRedirects(config *rest.Config) *rest.Config {
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &redirectTransport{next} })
	return config
}

// redirectTransport is a transport and not a CheckRedirect, because not all of
// client-go's clients let their http.Client be chosen.
type redirectTransport struct{ next http.RoundTripper }

func (t *redirectTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	if err != nil || resp.StatusCode < http.StatusMultipleChoices || resp.StatusCode >= http.StatusBadRequest {
		return resp, err
	}
	location, err := resp.Location()
	if err != nil || isSameServer(location, req.URL) {
		return resp, nil // without a Location it is an answer like any other
	}
	_ = resp.Body.Close() // nothing of it is read
	return nil, fmt.Errorf("the server redirects to %s://%s: redirects to another host or scheme are refused", location.Scheme, location.Host)
}

func isSameServer(a, b *url.URL) bool {
	return strings.EqualFold(a.Scheme, b.Scheme) && strings.EqualFold(a.Host, b.Host)
}

// WrappedRoundTripper lets client-go find the transport whose requests it
// cancels.
func (t *redirectTransport) WrappedRoundTripper() http.RoundTripper { return t.next }
