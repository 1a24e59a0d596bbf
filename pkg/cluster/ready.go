package cluster

import (
	"context"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Check is one of the checks behind the API server's /readyz or /livez.
type Check struct {
	Name   string
	Passed bool
	// Says is what the API server says of it, mostly little: it withholds reasons.
	Says string
}

// Checks asks the API server how it does, at /readyz or /livez. It answers with
// an error status as soon as one check fails, and with all of them all the same
// (k8s.io/apiserver/pkg/server/healthz).
func (s *Server) Checks(ctx context.Context, path string) ([]Check, error) {
	return turn(ctx, s, func(ctx context.Context) ([]Check, error) {
		body, err := s.discovery.RESTClient().Get().AbsPath(path).Param("verbose", "").Do(ctx).Raw()
		checks := readChecks(string(body))
		if len(checks) == 0 {
			return nil, err
		}
		return checks, nil
	})
}

// readChecks reads lines such as "[+]ping ok" and "[-]etcd failed: reason
// withheld".
func readChecks(body string) []Check {
	var checks []Check
	for line := range strings.Lines(body) {
		rest, passed := strings.CutPrefix(line, "[+]")
		if !passed {
			var failed bool
			if rest, failed = strings.CutPrefix(line, "[-]"); !failed {
				continue
			}
		}
		name, says, _ := strings.Cut(strings.TrimSpace(rest), " ")
		checks = append(checks, Check{Name: name, Passed: passed, Says: says})
	}
	return checks
}

// NeedsPath is the right to get a path that was refused, nil where the error is
// another.
func NeedsPath(path string, err error) *stuck.Right {
	if !apierrors.IsForbidden(err) {
		return nil
	}
	return &stuck.Right{Verb: "get", Path: path}
}
