package live

import (
	"net/http"
	"strings"
	"testing"
)

type countingTransport struct{ requests int }

func (s *countingTransport) RoundTrip(*http.Request) (*http.Response, error) {
	s.requests++
	return &http.Response{}, nil
}

// Whatever the code around it forgets, nothing leaves that would be carried
// out.
func TestNothingIsSentThatWouldBeCarriedOut(t *testing.T) {
	for request, want := range map[[2]string]int{
		{"GET", "/api/v1/pods"}:                                            1,
		{"PATCH", "/api/v1/namespaces/a/pods/b?dryRun=All"}:                1,
		{"POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"}: 1,
		{"PATCH", "/api/v1/namespaces/a/pods/b"}:                           0,
		{"PATCH", "/api/v1/namespaces/a/pods/b?dryRun="}:                   0,
		{"PATCH", "/api/v1/namespaces/a/pods/b?dryRun=All&dryRun=None"}:    0,
		{"POST", "/api/v1/namespaces/a/pods"}:                              0,
		{"PUT", "/api/v1/namespaces/a/pods/b?dryRun=All"}:                  0,
		{"DELETE", "/api/v1/namespaces/a/pods/b?dryRun=All"}:               1,
		{"DELETE", "/api/v1/namespaces/a/pods/b"}:                          0,
		{"DELETE", "/api/v1/namespaces/a/pods/b?dryRun=All&dryRun="}:       0,
	} {
		next := &countingTransport{}
		req, err := http.NewRequest(request[0], "https://server"+request[1], nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = (&noWriteTransport{next}).RoundTrip(req)
		if next.requests != want || (err == nil) != (want == 1) {
			t.Errorf("%v was sent %d times: %v", request, next.requests, err)
		}
	}
}

// A deletion whose options are in a body is not sent: those in the query would not count.
func TestDeleteWithBodyIsNotSent(t *testing.T) {
	next := &countingTransport{}
	req, err := http.NewRequest(http.MethodDelete, "https://server/api/v1/namespaces/a/pods/b?dryRun=All", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = (&noWriteTransport{next}).RoundTrip(req); next.requests != 0 || err == nil {
		t.Errorf("it was sent %d times: %v", next.requests, err)
	}
}
