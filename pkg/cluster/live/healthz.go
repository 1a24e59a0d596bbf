package live

import (
	"context"
	"strings"
)

// HealthCheck is one of the checks behind the API server's /readyz or /livez.
type HealthCheck struct {
	Name   string
	Passed bool
	// Message is what the API server says of it, mostly little: it withholds reasons.
	Message string
}

// HealthChecks asks the API server how it does, at /readyz or /livez. It answers with
// an error status as soon as one check fails, and with all of them all the same
// (k8s.io/apiserver/pkg/server/healthz).
func (s *Server) HealthChecks(ctx context.Context, path string) ([]HealthCheck, error) {
	return sendLimited(ctx, s, func(ctx context.Context) ([]HealthCheck, error) {
		body, err := s.discovery.RESTClient().Get().AbsPath(path).Param("verbose", "").Do(ctx).Raw()
		checks := parseHealthChecks(string(body))
		if len(checks) == 0 {
			return nil, err
		}
		return checks, nil
	})
}

// parseHealthChecks reads lines such as "[+]ping ok" and "[-]etcd failed: reason
// withheld".
func parseHealthChecks(body string) []HealthCheck {
	var checks []HealthCheck
	for line := range strings.Lines(body) {
		rest, passed := strings.CutPrefix(line, "[+]")
		if !passed {
			var failed bool
			if rest, failed = strings.CutPrefix(line, "[-]"); !failed {
				continue
			}
		}
		name, message, _ := strings.Cut(strings.TrimSpace(rest), " ")
		checks = append(checks, HealthCheck{Name: name, Passed: passed, Message: message})
	}
	return checks
}
