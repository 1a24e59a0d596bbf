package cluster

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// openRequests is the metric of long-running requests, watches among them
// (apiserver/pkg/endpoints/metrics).
const openRequests = "apiserver_longrunning_requests{"

// Watches reads the open watches from the API server's metrics, line by line:
// they run to megabytes, and all but a few lines are of no use here.
func (s *Server) Watches(ctx context.Context) ([]Watch, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	body, err := s.discovery.RESTClient().Get().AbsPath("/metrics").SetHeader("Accept", "text/plain").Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return readWatches(body)
}

func readWatches(metrics io.Reader) ([]Watch, error) {
	open := map[schema.GroupResource]int{}
	lines := bufio.NewScanner(metrics)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line, ok := strings.CutPrefix(lines.Text(), openRequests)
		if !ok {
			continue
		}
		labels, value, ok := strings.Cut(line, "} ")
		if !ok || label(labels, "verb") != "WATCH" || label(labels, "subresource") != "" {
			continue
		}
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, fmt.Errorf("reading the API server's metrics: %w", err)
		}
		open[schema.GroupResource{Group: label(labels, "group"), Resource: label(labels, "resource")}] += int(n)
	}
	watches := make([]Watch, 0, len(open))
	for gr, n := range open {
		watches = append(watches, Watch{Group: gr.Group, Resource: gr.Resource, Open: n})
	}
	slices.SortFunc(watches, func(a, b Watch) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource))
	})
	return watches, lines.Err()
}

// label is the value of one label. Those that are asked for hold names of the
// API, in which nothing needs quoting.
func label(labels, name string) string {
	for pair := range strings.SplitSeq(labels, ",") {
		if value, ok := strings.CutPrefix(pair, name+`="`); ok {
			return strings.TrimSuffix(value, `"`)
		}
	}
	return ""
}

// Watchers is how many watches are open on a type, false where that could not
// be read. Of several API servers one has answered, for itself alone.
func (v *View) Watchers(t stuck.Type) (int, bool) {
	open := ask(v, "watches", func() (Many[Watch], []stuck.Gap) {
		watches, err := v.shared.source.Watches(v.ctx)
		if err != nil {
			return Many[Watch]{}, []stuck.Gap{{Source: "/metrics", Error: Reason(err), Needs: forbiddenMetrics(err)}}
		}
		return Many[Watch]{Items: watches, Complete: true}, nil
	})
	n := 0
	for _, w := range open.Items {
		if w.Group == t.Group && w.Resource == t.Resource {
			n += w.Open
		}
	}
	return n, open.Complete
}

func forbiddenMetrics(err error) *stuck.Right {
	if !apierrors.IsForbidden(err) {
		return nil
	}
	return &stuck.Right{Verb: "get", Path: "/metrics"}
}
