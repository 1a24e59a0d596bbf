package snapshot

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Redaction replaces names by pseudonyms, word by word: what begins, ends or is composed like a name still does. The
// pseudonyms sort as the words do, so that whoever reads the snapshot meets the objects in the same order.
type Redaction struct {
	pseudonyms map[string]string
	// phrases stay, by their first words, the longest first.
	phrases map[string][]string
}

// pseudonymDigits are the random digits, to the base 36, of a pseudonym.
const (
	pseudonymDigits = 6
	pseudonymPrefix = "x" // the names of some types begin with a letter
)

// newRedaction draws a pseudonym for each word. It belongs to one snapshot.
func newRedaction(words map[string]bool, phrases []string) (*Redaction, error) {
	r := &Redaction{pseudonyms: map[string]string{}, phrases: map[string][]string{}}
	for _, phrase := range phrases {
		if _, first, _, ok := nextWord(phrase); ok && strings.HasPrefix(phrase, first) {
			r.phrases[first] = append(r.phrases[first], phrase)
		}
	}
	for first, all := range r.phrases {
		slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
		r.phrases[first] = slices.Compact(all)
	}
	sorted := make([]string, 0, len(words))
	for word := range words {
		if !slices.Contains(r.phrases[word], word) {
			sorted = append(sorted, word)
		}
	}
	slices.Sort(sorted)
	numbers, err := drawNumbers(len(sorted))
	if err != nil {
		return nil, fmt.Errorf("drawing pseudonyms: %w", err)
	}
	for i, word := range sorted {
		r.pseudonyms[word] = fmt.Sprintf("%s%0*s", pseudonymPrefix, pseudonymDigits, strconv.FormatUint(uint64(numbers[i]), 36))
	}
	return r, nil
}

// drawNumbers draws different numbers that six digits to the base 36 can hold, and sorts them.
func drawNumbers(n int) ([]uint32, error) {
	const limit = 36 * 36 * 36 * 36 * 36 * 36
	drawn := map[uint32]bool{}
	numbers := make([]uint32, 0, n)
	for len(numbers) < n {
		var random [4]byte
		if _, err := rand.Read(random[:]); err != nil {
			return nil, err
		}
		number := binary.LittleEndian.Uint32(random[:])
		if number < limit && !drawn[number] {
			drawn[number] = true
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// Text is a text with pseudonyms in place of names.
func (r *Redaction) Text(text string) string {
	var out strings.Builder
	for rest := text; ; {
		before, word, after, ok := nextWord(rest)
		if out.WriteString(before); !ok {
			return out.String()
		}
		kept := cmp.Or(r.phraseAt(rest[len(before):], word), r.kubernetesName(rest[len(before):]))
		if kept == "" && isFlag(before, rest == text) {
			kept = flagName.FindString(rest[len(before):])
		}
		if kept != "" {
			out.WriteString(kept)
			rest = rest[len(before)+len(kept):]
			continue
		}
		out.WriteString(cmp.Or(r.pseudonyms[word], word))
		rest = after
	}
}

// maxKubernetesName is how long a domain and a name behind it may be.
const maxKubernetesName = 253 + 1 + 63

var kubernetesName = regexp.MustCompile(`^((?:[0-9a-z-]+\.)*)(?:kubernetes|k8s)\.io\b(/[0-9A-Za-z._-]+)?`)

// kubernetesName is a name in a domain of Kubernetes at the beginning of a text, unless a name that is replaced is before
// that domain.
func (r *Redaction) kubernetesName(text string) string {
	text = text[:min(len(text), maxKubernetesName)]
	if !strings.Contains(text, "k8s.io") && !strings.Contains(text, "kubernetes.io") { // the pattern is slow
		return ""
	}
	match := kubernetesName.FindStringSubmatch(text)
	if match == nil {
		return ""
	}
	for rest := match[1]; ; {
		_, word, after, ok := nextWord(rest)
		if !ok {
			return match[0]
		}
		if r.pseudonyms[word] != "" {
			return ""
		}
		rest = after
	}
}

var flagName = regexp.MustCompile(`^[0-9A-Za-z-]+`)

// isFlag reports whether what stands before a word makes it the name of a flag, as in the arguments of a container.
func isFlag(before string, begins bool) bool {
	rest, ok := strings.CutSuffix(before, "--")
	return ok && (rest == "" && begins || strings.HasSuffix(rest, " ") || strings.HasSuffix(rest, `"`))
}

// phraseAt is the longest phrase that stays at the beginning of a text, which begins with a word.
func (r *Redaction) phraseAt(text, word string) string {
	for _, phrase := range r.phrases[word] {
		if rest, ok := strings.CutPrefix(text, phrase); ok && (rest == "" || !isWordByte(rest[0])) {
			return phrase
		}
	}
	return ""
}

// nextWord cuts a text around its first word. What stands for one character in a quoted text or in a URL, such as \n
// or %3D, is between words.
func nextWord(text string) (before, word, after string, ok bool) {
	start := 0
	for start < len(text) && !isWordByte(text[start]) {
		start += escapeLength(text[start:])
	}
	end := start
	for end < len(text) && isWordByte(text[end]) {
		end++
	}
	return text[:start], text[start:end], text[end:], end > start
}

// escapeLength is how many bytes at the beginning of a text stand for one character.
func escapeLength(text string) int {
	switch {
	case len(text) >= 3 && text[0] == '%' && isHexadecimal(text[1]) && isHexadecimal(text[2]):
		return 3
	case len(text) >= 6 && text[0] == '\\' && text[1] == 'u' && isHexadecimal(text[2]) && isHexadecimal(text[3]) && isHexadecimal(text[4]) && isHexadecimal(text[5]):
		return 6
	case len(text) >= 2 && text[0] == '\\' && strings.IndexByte("nrt", text[1]) >= 0:
		return 2
	}
	return 1
}

func isHexadecimal(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F'
}

func isWordByte(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}
