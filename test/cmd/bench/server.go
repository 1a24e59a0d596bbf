package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// serverMetrics is the API server as its own metrics show it, all in total.
type serverMetrics struct {
	sent      float64 // bytes of answers to lists, before compression
	allocated float64 // bytes
	cpu       float64 // seconds
	resident  float64 // bytes
}

func (s serverMetrics) since(before serverMetrics) serverMetrics {
	return serverMetrics{
		sent: s.sent - before.sent, allocated: s.allocated - before.allocated, cpu: s.cpu - before.cpu, resident: s.resident - before.resident,
	}
}

// readServerMetrics reads the metrics.
func readServerMetrics(ctx context.Context, client kubernetes.Interface) (serverMetrics, error) {
	body, err := client.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return serverMetrics{}, fmt.Errorf("reading the API server's metrics: %w", err)
	}
	var s serverMetrics
	lines := bufio.NewScanner(bytes.NewReader(body))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		name, value, ok := strings.Cut(lines.Text(), " ")
		if i := strings.LastIndexByte(lines.Text(), ' '); i > 0 {
			value = lines.Text()[i+1:]
		}
		number, err := strconv.ParseFloat(value, 64)
		if !ok || err != nil {
			continue
		}
		switch {
		case strings.HasPrefix(name, "apiserver_response_sizes_sum{") && strings.Contains(name, `verb="LIST"`):
			s.sent += number
		case name == "go_memstats_alloc_bytes_total":
			s.allocated = number
		case name == "process_cpu_seconds_total":
			s.cpu = number
		case name == "process_resident_memory_bytes":
			s.resident = number
		}
	}
	return s, lines.Err()
}

// requests is how many requests were made since the mark, without those of this program itself.
func requests(ctx context.Context, p *plane.Plane, since plane.Mark) (int, error) {
	all, err := p.Requests(ctx, since)
	n := 0
	for _, r := range all {
		if r.User == plane.Viewer || r.User == plane.Admin && !strings.Contains(r.URI, "/metrics") {
			n++
		}
	}
	return n, err
}
