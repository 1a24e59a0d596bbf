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
	chunk := strings.Repeat(" ", chunkBytes)
	start := "{"
	if compressed {
		w.Header().Set("Content-Encoding", "gzip")
		start, chunk = gzipped(start), gzipped(chunk)
	}
	flush := http.NewResponseController(w).Flush
	for _, err := io.WriteString(w, start); err == nil && r.Context().Err() == nil; <-time.After(chunkPause) {
		if _, err = io.WriteString(w, chunk); err == nil {
			err = flush()
		}
	}
}

// gzipped is a text as a gzip file. Such files may follow each other in an answer: who sends a bomb need not compress it again and again.
func gzipped(text string) string {
	var file strings.Builder
	zip := gzip.NewWriter(&file)
	_, _ = io.WriteString(zip, text) // nothing fails in memory
	_ = zip.Close()
	return file.String()
}

// silence is a body of which nothing comes until somebody hangs up.
type silence <-chan struct{}

func (s silence) Read([]byte) (int, error) {
	<-s
	return 0, io.ErrUnexpectedEOF
}
