package dump

import (
	"bytes"
	"strings"
)

// markWholeLists notes which lists the dump shows to be whole: those that an API server answered as a
// whole, of which no text is redacted, and which hold what their place says. A list that is elsewhere
// than where the tool puts it says nothing of the place that it is in.
func (s *Source) markWholeLists(l *loader) {
	if s.place == nil {
		return
	}
	whole := map[int32]scope{}
	for i, f := range l.files {
		if !f.list || f.outside || f.redacted || s.isSelection != nil && s.isSelection(f) {
			continue
		}
		at, ok := s.place(f.path)
		number := s.numberOf(at.resource)
		// Where no namespace is named, a list of a namespaced type holds what an operator referred to.
		if ok && number >= 0 && s.types[number].Namespaced == (at.namespace != "") {
			whole[int32(i)] = at
		}
	}
	for i := range l.entries {
		e := &l.entries[i]
		if at, ok := whole[e.file]; ok && (e.typ < 0 || e.namespace != at.namespace || s.types[e.typ].GVR().GroupResource() != at.resource) {
			delete(whole, e.file)
		}
	}
	for _, at := range whole {
		if s.inventory.failed[at] != "" || s.inventory.failed[scope{at.resource, ""}] != "" {
			continue // a part of it failed
		}
		s.inventory.markWhole(at.resource, at.namespace)
	}
}

// redaction is what a tool writes in the place of a text that it does not show
// (replicatedhq/troubleshoot, pkg/redact).
const redaction = "***HIDDEN***"

// isRedacted reports whether an object has a redacted text that may be a name of something. The values of
// environment variables, which are what is mostly redacted, are none.
func isRedacted(m headMetadata, raw []byte) bool {
	if strings.Contains(m.Namespace+m.Name, redaction) {
		return true
	}
	for {
		before, after, found := bytes.Cut(raw, []byte(`"`+redaction+`"`))
		if !found {
			return false
		}
		if !bytes.HasSuffix(bytes.TrimRight(before, " \t\r\n"), []byte(`"value":`)) {
			return true
		}
		raw = after
	}
}
