package removal

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/ownfile"
)

func sha256Hex(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// savedDigest is one file with one content.
type savedDigest struct{ file, sha256 string }

// maxAuditLine is longer than any line that an Audit writes.
const maxAuditLine = 1 << 20

// savedDigests are the digests that the audit file of a folder has of some
// saved copies. There may be none: the file may not be there.
func savedDigests(dir string, files map[string]bool) (map[savedDigest]bool, error) {
	digests := map[savedDigest]bool{}
	file, err := ownfile.Open(filepath.Join(dir, AuditFile), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return digests, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the audit file: %w", err)
	}
	defer file.Close()
	lines := bufio.NewReaderSize(file, maxAuditLine)
	for {
		line, err := lines.ReadSlice('\n')
		var e AuditEntry
		// What is no line of an Audit mentions no copy.
		if json.Unmarshal(bytes.TrimSpace(line), &e) == nil && files[e.Copy] {
			digests[savedDigest{e.Copy, e.CopySHA256}] = true
		}
		switch {
		case errors.Is(err, io.EOF):
			return digests, nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("reading the audit file: %w", err)
		}
	}
}
