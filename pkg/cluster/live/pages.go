package live

import (
	"crypto/sha256"
	"errors"
	"fmt"
)

// maxPages is how many pages a list may have, and maxEmptyPages how many of them may be empty one after another. A real API server
// fills each page but the last (apiserver/pkg/storage/etcd3/store.go), so 100,000 pages of 500 objects are more than any has.
const (
	maxPages      = 100_000
	maxEmptyPages = 100
)

// errRepeatedContinue is the error of a list that leads back to one of its own pages.
var errRepeatedContinue = errors.New("the server gives the same continue token twice, so the list has no end")

// pageSequence follows a list from page to page, and makes sure that it has an end. Of the tokens it keeps hashes: a broken server
// can send very many, and very long ones.
type pageSequence struct {
	tokens map[[sha256.Size]byte]bool
	empty  int // pages without an object, up to the present one
}

// follow notes that a page with so many objects ended with a continue token, and is an error where the list has no end.
func (s *pageSequence) follow(token string, objects int) error {
	hash := sha256.Sum256([]byte(token))
	switch s.empty++; {
	case s.tokens[hash]:
		return errRepeatedContinue
	case objects > 0:
		s.empty = 0
	case s.empty > maxEmptyPages:
		return fmt.Errorf("the server gives more than %d empty pages, so the list has no end", maxEmptyPages)
	}
	if len(s.tokens) >= maxPages {
		return fmt.Errorf("the list has more than %d pages", maxPages)
	}
	if s.tokens == nil {
		s.tokens = map[[sha256.Size]byte]bool{}
	}
	s.tokens[hash] = true
	return nil
}
