package story

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
)

// htmlPage is what a web server says that someone has put in the place of an extension API server.
const htmlPage = "<!doctype html>\n<title>Welcome</title>\n<h1>It works!</h1>\n"

// serveHTML answers everything with a friendly page until the context ends, over TLS that nobody vouches for, on a
// free port of the loopback address.
func serveHTML(ctx context.Context) (port string, err error) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, htmlPage) // whoever hangs up has heard enough
	}))
	context.AfterFunc(ctx, func() {
		server.CloseClientConnections()
		server.Close()
	})
	address, err := url.Parse(server.URL)
	if err != nil {
		return "", err
	}
	return address.Port(), nil
}
