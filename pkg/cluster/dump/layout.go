package dump

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// layout is how one tool lays out the files of a dump.
type layout struct {
	// roots are the folders in the dump that have the marks of the layout; none where it is
	// another.
	roots func(l *loader) []string
	// merges says that the folders below a root may be roots too.
	merges bool
	read   func(l *loader, d dumpFiles) (content, error)
}

// layouts are tried in order: what has the marks of one may have those of a later one.
func layouts() []layout {
	return []layout{
		{ownRoots, false, readOwn},
		{crustGatherRoots, false, readCrustGather},
		{mustGatherRoots, true, readMustGather},
		{supportBundleRoots, false, readSupportBundle},
		{sonobuoyRoots, false, readSonobuoy},
		{veleroRoots, false, refuseVelero},
		{clusterInfoRoots, false, readClusterInfo},
	}
}

// dumpFiles are the files of a dump below its roots.
type dumpFiles struct {
	// location is the path of the dump.
	location  string
	container container
	roots     []string
}

// within is the path of a file below a root of the dump, false where it is below none.
func (d dumpFiles) within(name string) (string, bool) {
	for _, root := range d.roots {
		if root == "" {
			return name, true
		}
		if rest, ok := strings.CutPrefix(name, root+"/"); ok {
			return rest, true
		}
	}
	return "", false
}

// interpret recognizes the tool that wrote the dump.
func (l *loader) interpret(location string, kind container) (content, error) {
	for _, candidate := range layouts() {
		roots := candidate.roots(l)
		if len(roots) == 0 {
			continue
		}
		if err := checkOneDump(roots, candidate.merges); err != nil {
			return content{}, err
		}
		d := dumpFiles{location, kind, roots}
		outside := l.leaveOut(d)
		c, err := candidate.read(l, d)
		if outside > 0 {
			c.discoveryGaps = append(c.discoveryGaps, stuck.Gap{Source: "the files beside the dump", Error: fmt.Sprintf("%d not read: they may be of another cluster", outside)})
		}
		return c, err
	}
	return l.readObjects()
}

// checkOneDump refuses two dumps in one folder: together they show a cluster that never was. A must-gather
// has a folder for each image, and some images have folders of their own in it.
func checkOneDump(roots []string, merges bool) error {
	seen := map[string]bool{}
	for _, root := range roots {
		if parts := strings.Split(root, "/"); merges {
			last := slices.IndexFunc(parts, func(part string) bool {
				return strings.HasPrefix(part, "must-gather.local.") || strings.HasPrefix(part, "inspect.local.")
			})
			root = strings.Join(parts[:last+1], "/")
		}
		seen[root] = true
	}
	if len(seen) > 1 {
		return fmt.Errorf("it holds %d dumps (%q): give one of them", len(seen), slices.Sorted(maps.Keys(seen)))
	}
	return nil
}

// leaveOut marks the files that are not of the dump, and returns how many they are.
func (l *loader) leaveOut(d dumpFiles) int {
	n := 0
	for i := range l.files {
		if _, within := d.within(l.files[i].path); !within {
			l.files[i].outside = true
			n++
		}
	}
	return n
}

// readObjects takes any files that hold objects. Which selection they are of is not known, so
// that nothing is absent from them.
func (l *loader) readObjects() (content, error) {
	for name, text := range l.documents { // which mean nothing here
		delete(l.documents, name)
		l.files = append(l.files, file{path: name})
		v := &fileVisitor{loader: l, file: int32(len(l.files) - 1)}
		if err := v.read(strings.NewReader(string(text))); err != nil && endsReading(err) {
			return content{}, err
		}
	}
	if err := l.store.flush(); err != nil {
		return content{}, err
	}
	if len(l.entries) == 0 {
		if failed := slices.IndexFunc(l.files, func(f file) bool { return f.err != nil }); failed >= 0 {
			return content{}, fmt.Errorf("%q: %w", l.files[failed].path, l.files[failed].err)
		}
		return content{}, errors.New("it has no objects: give a dump, or what kubectl get -o json or -o yaml printed")
	}
	return content{name: "files with objects", inventory: newInventory(), discoveryGaps: l.fileGaps(nil)}, nil
}

// maxFileGaps is how many files that could not be read are gaps of their own.
const maxFileGaps = 20

// fileGaps are the gaps of files that could not be read: what they held is not known.
func (l *loader) fileGaps(matters func(path string) bool) []stuck.Gap {
	var gaps []stuck.Gap
	more := 0
	for _, f := range l.files {
		switch {
		case f.err == nil || f.outside || matters != nil && !matters(f.path):
		case len(gaps) < maxFileGaps:
			gaps = append(gaps, stuck.Gap{Source: fmt.Sprintf("file %q of the dump", f.path), Error: f.err.Error()})
		default:
			more++
		}
	}
	if more > 0 {
		gaps = append(gaps, stuck.Gap{Source: fmt.Sprintf("%d more files of the dump", more), Error: "they are damaged"})
	}
	return gaps
}

// source is the dump as a source.
func (l *loader) source(c content) (*Source, error) {
	s := &Source{content: c, store: l.store, now: c.time}
	if err := s.addTypes(l); err != nil {
		return nil, err
	}
	s.entries = l.entries
	s.markWholeLists(l)
	s.indexEntries()
	s.noteLostFiles()
	s.noteReportedFailures()
	newest, newestDeletion := l.newestTimes()
	switch {
	case c.answers != nil:
	case c.time.IsZero():
		// An object that is being deleted is there past its deletionTimestamp, as far as is known.
		s.guessed, s.now = true, timeOf(max(newest, newestDeletion))
	case newest > c.time.Unix() && newest < c.time.Add(maxCollection).Unix():
		s.now = timeOf(newest) // the tool noted when it began
	}
	s.now = s.now.UTC().Truncate(time.Second)
	return s, nil
}

// maxCollection is longer than any tool collects. What is newer has a wrong clock.
const maxCollection = 24 * time.Hour

// newestTimes are the newest time that an API server wrote, and the newest deletionTimestamp.
func (l *loader) newestTimes() (newest, newestDeletion int64) {
	for _, f := range l.files {
		if !f.outside {
			newest, newestDeletion = max(newest, f.newest), max(newestDeletion, f.newestDeletion)
		}
	}
	return newest, newestDeletion
}

// paths are those of all files, documents included.
func (l *loader) paths(visit func(name string)) {
	for _, f := range l.files {
		visit(f.path)
	}
	for name := range l.documents {
		visit(name)
	}
}

// rootsBefore are the parts of paths before what a function finds in them.
func (l *loader) rootsBefore(find func(parts []string) int) []string {
	var roots []string
	seen := map[string]bool{}
	l.paths(func(name string) {
		parts := strings.Split(name, "/")
		if i := find(parts); i >= 0 && i <= maxRootDepth {
			if root := strings.Join(parts[:i], "/"); !seen[root] {
				seen[root] = true
				roots = append(roots, root)
			}
		}
	})
	// The longest first: a file belongs to the innermost.
	slices.SortFunc(roots, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return roots
}

// maxRootDepth is how many folders there may be around a dump.
const maxRootDepth = 3

// documentsNamed are the documents of a name, by the folder that they are in.
func (l *loader) documentsNamed(base string) map[string][]byte {
	out := map[string][]byte{}
	for name, text := range l.documents {
		if path.Base(name) == base {
			dir := path.Dir(name)
			if dir == "." {
				dir = ""
			}
			out[dir] = text
		}
	}
	return out
}

// gitVersion is the Kubernetes version in a document, empty where it has none.
func gitVersion(text []byte) string {
	var version struct {
		GitVersion string `json:"gitVersion"`
		Info       struct {
			GitVersion string `json:"gitVersion"`
		} `json:"info"`
	}
	raw, err := asJSON(text)
	if err != nil || json.Unmarshal(raw, &version) != nil {
		return ""
	}
	return cmp.Or(version.GitVersion, version.Info.GitVersion)
}
