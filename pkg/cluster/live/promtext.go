package live

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// sample is one line of metrics.
type sample struct {
	labels string
	value  float64
}

func (s sample) groupResource() schema.GroupResource {
	return schema.GroupResource{Group: s.label("group"), Resource: s.label("resource")}
}

func (s sample) webhookKey() cluster.WebhookKey {
	return cluster.WebhookKey{Name: s.label("name"), Mutating: s.label("type") == "admit"}
}

// What a foreign program says may be any number. Below these, which no program reaches, the sum of all lines that are read of it
// does not overflow.
const (
	maxCount    = 1 << 40
	maxDuration = 100 * 365 * 24 * time.Hour
	// maxUnixTime is the end of the year 9999, after which no document can hold a time.
	maxUnixTime = 253402300799
)

// bounded is the value, 0 where it is no number or negative, and most where it is more.
func (s sample) bounded(most float64) float64 {
	if math.IsNaN(s.value) || math.IsInf(s.value, 0) {
		return 0
	}
	return min(max(s.value, 0), most)
}

// count is the value of a counter, which is no number where nothing was counted.
func (s sample) count() int { return int(s.bounded(maxCount)) }

// version is the value as a resourceVersion.
func (s sample) version() uint64 { return uint64(s.bounded(1 << 62)) }

// addTo is a duration and the value in seconds.
func (s sample) addTo(d time.Duration) time.Duration {
	return min(d+time.Duration(s.bounded(maxDuration.Seconds())*float64(time.Second)), maxDuration)
}

// label is the value of one label. Those that are asked for hold names, in which
// nothing needs unquoting.
func (s sample) label(name string) string {
	for rest := s.labels; rest != ""; {
		key, after, ok := strings.Cut(rest, `="`)
		end := endOfQuote(after)
		if !ok || end < 0 {
			return ""
		}
		if strings.TrimSpace(key) == name {
			return after[:end]
		}
		rest = strings.TrimPrefix(strings.TrimSpace(after[end+1:]), ",")
	}
	return ""
}

// endOfQuote is where a quoted text ends that has begun before.
func endOfQuote(text string) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}

// parseSamples reads the lines of the metrics that there is a reader for
// (github.com/prometheus/docs, the text-based exposition format).
func parseSamples(body io.Reader, handlers map[string]func(sample)) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Bytes()
		end := slices.IndexFunc(line, func(b byte) bool { return b == '{' || b == ' ' })
		if end < 0 {
			continue
		}
		handle, ok := handlers[string(line[:end])]
		if !ok {
			continue
		}
		s, err := parseSample(string(line[end:]))
		if err != nil {
			return err
		}
		handle(s)
	}
	return lines.Err()
}

// parseSample reads what follows the name of a metric: labels in braces, a value,
// and perhaps a time.
func parseSample(text string) (sample, error) {
	s := sample{}
	if rest, ok := strings.CutPrefix(text, "{"); ok {
		end := endOfLabels(rest)
		if end < 0 {
			return s, fmt.Errorf("labels without an end: %q", text)
		}
		s.labels, text = rest[:end], rest[end+1:]
	}
	value, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	var err error
	s.value, err = strconv.ParseFloat(value, 64)
	return s, err
}

// endOfLabels is where the closing brace is.
func endOfLabels(text string) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '}':
			return i
		case '"':
			end := endOfQuote(text[i+1:])
			if end < 0 {
				return -1
			}
			i += end + 1
		}
	}
	return -1
}
