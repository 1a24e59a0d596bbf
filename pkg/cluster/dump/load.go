package dump

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// file is what is known of one file of a dump.
type file struct {
	path string
	// list says that it is one list, which an API server answered as a whole.
	list bool
	// redacted says that a text in it is redacted that a cause may ask for.
	redacted bool
	// outside says that it is beside the dump, and not of it.
	outside bool
	// kind is that of the list or object.
	kind schema.GroupVersionKind
	// newest is the newest time that an API server wrote into its objects, and newestDeletion the newest
	// deletionTimestamp, in seconds.
	newest, newestDeletion int64
	err                    error
}

// entry is an object, as far as it is kept outside of the store.
type entry struct {
	namespace, name, uid string
	created, deleted     int64 // seconds, zero for none
	resourceVersion      uint64
	rare                 *rareFields
	// involved is the uid that an Event is about.
	involved string
	kind     int32 // of loader.kinds
	file     int32 // of loader.files
	location location
	typ      int32 // of Source.types, once they are known
}

// rareFields are what most objects do not have.
type rareFields struct {
	gracePeriod *int64
	finalizers  []string
	owners      []stuck.OwnerReference
}

// loader reads a dump.
type loader struct {
	budget  *budget
	store   *store
	files   []file
	entries []entry
	kinds   []schema.GroupVersionKind
	kindIDs map[schema.GroupVersionKind]int32
	names   map[string]string
	// lastRare are those of the last object that had some.
	lastRare *rareFields
	compact  bytes.Buffer
	// isCompact says that the objects that are read now have no space in them.
	isCompact bool
	// documents are the files that say something of the dump and hold no objects.
	documents     map[string][]byte
	documentBytes int
}

func newLoader(b *budget) *loader {
	return &loader{
		budget: b, store: newStore(b), kindIDs: map[schema.GroupVersionKind]int32{}, names: map[string]string{}, documents: map[string][]byte{},
	}
}

// maxDocumentBytes limits the documents that are kept as they are.
const maxDocumentBytes = 256 << 20

// read takes one file. What cannot be read of it leaves a gap; what ends the reading of the dump
// is an error.
func (l *loader) read(name string, r io.Reader) error {
	if isDocument(name) {
		return l.readDocument(name, r)
	}
	l.files = append(l.files, file{path: name})
	v := &fileVisitor{loader: l, file: int32(len(l.files) - 1)}
	err := v.read(r)
	f := &l.files[v.file]
	if err == nil && v.nameless > 0 {
		err = fmt.Errorf("%d items of its lists are no objects with a name", v.nameless)
	}
	f.list = v.lists == 1 && v.documents == 1 && v.answered && err == nil
	if f.list && !v.array {
		f.kind = v.listKind
	}
	if err != nil && endsReading(err) {
		return err
	}
	f.err = err
	return nil
}

// endsReading reports whether an error is one of the whole dump.
func endsReading(err error) bool {
	var limit *limitError
	return errors.As(err, &limit) || isDamage(err) && !errors.Is(err, io.ErrUnexpectedEOF)
}

func (l *loader) readDocument(name string, r io.Reader) error {
	content, err := io.ReadAll(io.LimitReader(r, maxDocumentBytes+1))
	if err != nil {
		return err
	}
	if l.documentBytes += len(content); l.documentBytes > maxDocumentBytes {
		return &limitError{"more bytes in files without objects than are kept", l.budget.limit}
	}
	if err := checkValues(content); err != nil {
		return fmt.Errorf("%q: %w", name, err)
	}
	l.documents[name] = content
	return nil
}

// isDocument reports whether a file says something of the dump and holds no objects, in any of
// the layouts.
func isDocument(name string) bool {
	base := path.Base(name)
	if path.Ext(base) == ".yaml" && isAmongObjects(name) {
		return false // it is named by an object
	}
	switch base {
	case "version.yaml", "serverversion.json", "cluster_version.json", "api.json", "apis.json", "aggregated-discovery-api.yaml",
		"aggregated-discovery-apis.yaml", "collected.timestamp", "timestamp", "groups.json", "resources.json", "servergroups.json":
		return true
	}
	return strings.HasSuffix(base, "-errors.json") || strings.HasSuffix(name, "meta/config.json") || strings.HasSuffix(name, "metadata/version") ||
		strings.HasSuffix(name, SnapshotFile) || strings.HasSuffix(name, alarmsFile)
}

// isAmongObjects reports whether a file is where crust-gather and oc adm inspect keep objects by their names.
func isAmongObjects(name string) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(name), "/"), func(folder string) bool {
		return folder == "cluster" || folder == "namespaces" || folder == "cluster-scoped-resources"
	})
}

// fileVisitor takes the content of one file.
type fileVisitor struct {
	*loader
	file             int32
	documents, lists int
	// answered says that the list is the whole answer of an API server, or an array.
	answered, array bool
	// nameless is how many items of lists are no objects.
	nameless int
	listKind schema.GroupVersionKind
	// pending are the items of a list that do not name their kind, which may stand behind them.
	pending []int
}

// errUTF16 is the error of what PowerShell's ">" writes.
var errUTF16 = errors.New("it is UTF-16: save it as UTF-8, in PowerShell with | Out-File -Encoding utf8")

func (v *fileVisitor) read(r io.Reader) error {
	buffered := bufio.NewReaderSize(r, 1<<16)
	head, err := buffered.Peek(64)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if len(bytes.TrimSpace(head)) == 0 && len(head) < 64 {
		return nil // an empty file
	}
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return errUTF16
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")): // which Windows puts before UTF-8
		_, _ = buffered.Discard(3) // they were peeked at
	}
	v.isCompact = !isJSON(head)
	if !v.isCompact {
		return readJSON(buffered, v)
	}
	return readYAML(buffered, v)
}

func (v *fileVisitor) item(raw []byte) error {
	index, err := v.add(raw)
	if err == nil && index < 0 {
		v.nameless++
	}
	if err == nil && index >= 0 && v.entries[index].kind < 0 {
		v.pending = append(v.pending, index)
	}
	return err
}

func (v *fileVisitor) document(d document) error {
	v.documents++
	if !d.list {
		raw, err := d.object()
		if err != nil {
			return err
		}
		_, err = v.add(raw)
		return err
	}
	v.lists++
	v.array, v.answered = d.array, d.array || d.isWholeAnswer()
	kind := schema.FromAPIVersionAndKind(d.text("apiVersion"), strings.TrimSuffix(d.text("kind"), "List"))
	v.listKind = kind
	for _, i := range v.pending {
		if kind.Kind != "" {
			v.entries[i].kind = v.kindID(kind)
		}
	}
	v.pending = nil
	return nil
}
