package catalog

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
)

// book is one file of the catalogue. Its names are known at once, and its entries are read when one of them is first
// asked for: few commands need more than a handful of books, and to read them all takes far longer than to find a name.
type book struct {
	titles  []title
	entries func() []Entry
}

// title is an entry's name as it stands in its file.
type title struct {
	text    string
	pattern bool
}

// bookOf is a file of the built-in catalogue. That every one of them can be read, and holds the names that its text
// promises, is proven by tests; so a file that cannot be read here is a program that was built wrong.
func bookOf(file File) *book {
	return &book{
		titles: titlesIn(file.Data),
		entries: sync.OnceValue(func() []Entry {
			entries, err := parseFile(file, areaOf(file))
			if err != nil {
				panic(fmt.Errorf("the built-in catalogue is broken: %w", err))
			}
			return entries
		}),
	}
}

// readBook is a book whose entries have been read.
func readBook(entries []Entry) *book {
	b := &book{entries: func() []Entry { return entries }}
	for _, entry := range entries {
		b.titles = append(b.titles, title{text: entry.Title(), pattern: entry.Pattern != ""})
	}
	return b
}

// titlesIn lists the names of a built-in file's entries: each begins a line, with its name first.
func titlesIn(data []byte) []title {
	var titles []title
	for line := range bytes.Lines(data) {
		name, exact := bytes.CutPrefix(line, []byte("- finalizer: "))
		if !exact {
			var pattern bool
			if name, pattern = bytes.CutPrefix(line, []byte("- pattern: ")); !pattern {
				continue
			}
		}
		titles = append(titles, title{text: strings.Trim(string(bytes.TrimSpace(name)), `"'`), pattern: !exact})
	}
	return titles
}
