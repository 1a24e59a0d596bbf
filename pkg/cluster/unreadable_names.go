package cluster

import (
	"sort"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// How many lists the search for the name of an unreadable object may cost: five or six for each character of its key, and one
// for each page of objects before it.
const (
	maxUnreadableLists = 600
	unreadablePage     = 500
)

// keyCharacters are what names and namespaces consist of, in order, with the slash between them and the colon that
// only names of RBAC have.
const keyCharacters = "-./0123456789:abcdefghijklmnopqrstuvwxyz"

// behindAllKeys is a key that comes after all others.
const behindAllKeys = "~"

// unreadableSearch looks for the name of an unreadable object by lists alone. A list of one object that begins at a key fails
// for each key from behind the object before the unreadable one up to its name, and not behind that.
type unreadableSearch struct {
	view      *View
	typ       stuck.Type
	namespace string
	lists     int
}

// page lists objects from a key on. It returns how many there were, and the key behind the last of them.
func (s *unreadableSearch) page(start string, limit int64) (count int64, next string, isUnreadable bool) {
	s.lists++
	err := s.view.shared.source.Scan(s.view.ctx, s.typ, Selection{Namespace: s.namespace, Window: Window{Start: start, Limit: limit}}, func(o stuck.Object) {
		count++
		next = o.Name + "\x00"
		if s.namespace == "" && s.typ.Namespaced {
			next = o.Namespace + "/" + next
		}
	})
	if err == nil {
		return count, next, false
	}
	_, isUnreadable = apitext.ParseUnreadableError(err)
	return 0, "", isUnreadable
}

// start is a key that the first unreadable object comes right behind.
func (s *unreadableSearch) start() (key string, ok bool) {
	limit := int64(unreadablePage)
	for s.lists < maxUnreadableLists && s.view.ctx.Err() == nil {
		count, next, isUnreadable := s.page(key, limit)
		switch {
		case isUnreadable && limit == 1:
			return key, true
		case isUnreadable:
			limit /= 2
		case count == 0 || next <= key: // there is none, or the server does not begin where it is told to
			return "", false
		default:
			key = next
		}
	}
	return "", false
}

// key is the key of the first unreadable object, or of the last of several in a row.
func (s *unreadableSearch) key() (key string, ok bool) {
	start, ok := s.start()
	if !ok {
		return "", false
	}
	if _, _, always := s.page(behindAllKeys, 1); always {
		return "", false // it fails wherever it begins, which says nothing
	}
	for s.lists < maxUnreadableLists && s.view.ctx.Err() == nil {
		// The greatest character with which the key can go on.
		n := sort.Search(len(keyCharacters), func(i int) bool { return !s.isAtLeast(key+keyCharacters[i:i+1], start) })
		if n == 0 {
			return key, key != ""
		}
		key += keyCharacters[n-1 : n]
	}
	return "", false
}

// isAtLeast reports whether the key of the unreadable object is not before a key. A continue token cannot end in a slash, or in
// a segment that is a dot.
func (s *unreadableSearch) isAtLeast(key, start string) bool {
	if strings.HasSuffix(key, "/") || strings.HasSuffix(key, ".") {
		key += "\x00"
	}
	if key <= start {
		return true
	}
	_, _, isUnreadable := s.page(key, 1)
	return isUnreadable
}

// find is an object that reading confirms to be unreadable.
func (s *unreadableSearch) find() (stuck.Object, bool) {
	key, ok := s.key()
	if !ok {
		return stuck.Object{}, false
	}
	o := stuck.Object{Type: s.typ, Namespace: s.namespace, Name: key}
	if namespace, name, found := strings.Cut(key, "/"); found {
		o.Namespace, o.Name = namespace, name
	}
	_, err := s.view.shared.source.Metadata(s.view.ctx, s.typ, o.Namespace, o.Name)
	_, isUnreadable := apitext.ParseUnreadableError(err)
	return o, isUnreadable
}
