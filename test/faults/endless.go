package faults

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"time"
)

// chunk is what an endless answer goes on with, a list that never comes to its items, and chunkPause when: enough to fill the memory of
// who keeps it, and not the processor of the machine.
const (
	chunkBytes = 1 << 20
	chunkPause = 50 * time.Millisecond
)

// respondEndlessly sends JSON until nobody reads it any more.
func respondEndlessly(w http.ResponseWriter, r *http.Request, compressed bool) {
	w.Header().Set("Content-Type", "application/json")
	flush := http.NewResponseController(w).Flush
	var body io.Writer = w
	if compressed {
		w.Header().Set("Content-Encoding", "gzip")
		zip := gzip.NewWriter(w)
		body, flush = zip, zip.Flush
	}
	chunk := strings.Repeat(" ", chunkBytes)
	for _, err := io.WriteString(body, "{"); err == nil && r.Context().Err() == nil; <-time.After(chunkPause) {
		if _, err = io.WriteString(body, chunk); err == nil {
			err = flush()
		}
	}
}

// silence is a body of which nothing comes until somebody hangs up.
type silence <-chan struct{}

func (s silence) Read([]byte) (int, error) {
	<-s
	return 0, io.ErrUnexpectedEOF
}
