package catalog

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
)

//go:embed finalizers
var embedded embed.FS

// File is one catalog file: where it came from, for messages, and what it holds.
type File struct {
	Name string
	Data []byte
}

// Load opens the catalog that is built into the program. It finds the names; what is known of each is read when it
// is asked for.
func Load() (*Catalog, error) {
	files, err := embeddedFiles()
	if err != nil {
		return nil, fmt.Errorf("read the built-in catalog: %w", err)
	}
	catalogFiles := make([]*catalogFile, len(files))
	for i, file := range files {
		catalogFiles[i] = lazyFile(file)
	}
	c, err := newCatalog(entryRefs(catalogFiles...))
	if err != nil {
		return nil, fmt.Errorf("the built-in catalog is broken: %w", err)
	}
	return c, nil
}

// With returns a catalog that also knows what a user's files say. Where they name a finalizer that the catalog
// knows on the same type, the user's word counts. Errors carry file and line.
func (c *Catalog) With(files ...File) (*Catalog, error) {
	added, err := parseAll(files, func(File) string { return "" })
	if err != nil {
		return nil, err
	}
	if err := findDuplicate(added); err != nil {
		return nil, err
	}
	kept := slices.DeleteFunc(slices.Clone(c.refs), func(p entryRef) bool { return isReplaced(p, added) })
	return newCatalog(append(kept, entryRefs(loadedFile(added))...))
}

// isReplaced reports whether one of the added entries mentions the same name on a type of the one at this place.
func isReplaced(p entryRef, added []Entry) bool {
	for _, other := range added {
		if other.Name() == p.name().text && overlappingType(p.entry().Types, other.Types) != "" {
			return true
		}
	}
	return false
}

// embeddedFiles lists the built-in files in the order of their paths.
func embeddedFiles() ([]File, error) {
	var files []File
	err := fs.WalkDir(embedded, "finalizers", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := embedded.ReadFile(name)
		files = append(files, File{Name: name, Data: data})
		return err
	})
	return files, err
}

// areaOf is the folder that a built-in file lies in.
func areaOf(file File) string { return path.Base(path.Dir(file.Name)) }
