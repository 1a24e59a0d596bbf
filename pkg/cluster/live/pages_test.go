package live

import (
	"strconv"
	"strings"
	"testing"
)

// A list of very many pages is given up, and until then only hashes of its tokens are kept.
func TestPagesAreCounted(t *testing.T) {
	var pages pageSequence
	for i := range maxPages {
		if err := pages.follow(strconv.Itoa(i), 1); err != nil {
			t.Fatalf("after %d pages: %v", i, err)
		}
	}
	if err := pages.follow("one more", 1); err == nil || !strings.Contains(err.Error(), "more than 100000 pages") {
		t.Errorf("the error is %v", err)
	}
}

// Empty pages count only where they follow each other.
func TestEmptyPagesBetweenOthers(t *testing.T) {
	var pages pageSequence
	for i := range 5 * maxEmptyPages {
		if err := pages.follow(strconv.Itoa(i), i%maxEmptyPages); err != nil {
			t.Fatalf("after %d pages: %v", i, err)
		}
	}
}
