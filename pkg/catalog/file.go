package catalog

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
)

// catalogFile is one file of the catalog. Its names are known at once, and its entries are read when one of them is first
// asked for: few commands need more than a handful of files, and to read them all takes far longer than to find a name.
type catalogFile struct {
	names   []entryName
	entries func() []Entry
}

// entryName is an entry's name as it stands in its file.
type entryName struct {
	text    string
	pattern bool
}

// lazyFile is a file of the built-in catalog. That every one of them can be read, and holds the names that its text
// promises, is proven by tests; so a file that cannot be read here is a program that was built wrong.
func lazyFile(file File) *catalogFile {
	return &catalogFile{
		names: scanNames(file.Data),
		entries: sync.OnceValue(func() []Entry {
			entries, err := parseFile(file, areaOf(file))
			if err != nil {
				panic(fmt.Errorf("the built-in catalog is broken: %w", err))
			}
			return entries
		}),
	}
}

// loadedFile is a file whose entries have been read.
func loadedFile(entries []Entry) *catalogFile {
	file := &catalogFile{entries: func() []Entry { return entries }}
	for _, entry := range entries {
		file.names = append(file.names, entryName{text: entry.Name(), pattern: entry.Pattern != ""})
	}
	return file
}

// scanNames lists the names of a built-in file's entries: each begins a line, with its name first.
func scanNames(data []byte) []entryName {
	var names []entryName
	for line := range bytes.Lines(data) {
		name, exact := bytes.CutPrefix(line, []byte("- finalizer: "))
		if !exact {
			var pattern bool
			if name, pattern = bytes.CutPrefix(line, []byte("- pattern: ")); !pattern {
				continue
			}
		}
		names = append(names, entryName{text: strings.Trim(string(bytes.TrimSpace(name)), `"'`), pattern: !exact})
	}
	return names
}
