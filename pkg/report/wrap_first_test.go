package report

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mitchellh/go-wordwrap"
)

// A line breaks where it breaks if the whole text is wrapped, of which it takes no more than it needs.
func TestWrapFirst(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	alphabet := []rune("ab\u00e9\u4e16 \u00a0 /")
	for range 20_000 {
		var b strings.Builder
		word := 1 + random.IntN(40)
		for range random.IntN(300) {
			if random.IntN(word) == 0 {
				b.WriteRune(' ')
				continue
			}
			b.WriteRune(alphabet[random.IntN(len(alphabet))])
		}
		text, columns := b.String(), 20+random.IntN(60)
		want, _, _ := strings.Cut(wordwrap.WrapString(text, uint(columns)), "\n")
		if first, rest := wrapFirst(text, columns); first != strings.TrimRight(want, " ") || rest != strings.TrimLeft(text[len(first):], " ") {
			t.Fatalf("of %q the first %d columns are %q, not %q", text, columns, first, want)
		}
	}
	text := strings.Repeat("example.com/finalizer ", 10_000)
	if allocations := testing.AllocsPerRun(3, func() { wrapFirst(text, 80) }); allocations > 30 {
		t.Errorf("the first line of a long text takes %.0f allocations", allocations)
	}
}
