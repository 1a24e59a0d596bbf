package snapshot

import (
	"archive/tar"
	"time"
)

// archive is the archive that is written.
type archive struct {
	tar    *tar.Writer
	folder string
	time   time.Time
	names  map[string]bool
}
