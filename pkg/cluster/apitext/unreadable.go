package apitext

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Unreadable is what the API server says of objects that it has in storage and
// cannot read.
type Unreadable struct {
	// Keys are where they lie in etcd, none where the API server does not say.
	Keys []string
	// Encrypted says that they could not be decrypted. Others could be, and are
	// no objects.
	Encrypted bool
	// Message is what is wrong with the first.
	Message string
}

// The words of the API server, from Kubernetes 1.37 on and before
// (apiserver/pkg/storage/errors.go and etcd3/corrupt_obj_deleter.go,
// etcd3/store.go). A failed decoding used to come without any word around it.
var (
	corruptPattern          = regexp.MustCompile(`StorageError: corrupt object, Code: \d+, Key: ([^,\s]+), ResourceVersion: \d+, AdditionalErrorMsg: (data from the storage is not transformable|object not decodable) revision=-?\d+: (.*)`)
	notTransformablePattern = regexp.MustCompile(`unable to transform key "([^"]+)": (.*)`)
	notDecodablePattern     = regexp.MustCompile(`(?:^|failed to list \S+ ?\S*: )(proto: .*|unexpected end of JSON input|invalid character .*|couldn't get version/kind; json parse error.*)`)
)

// removedVersionPattern is an object that is stored in a version which its CustomResourceDefinition does not have
// (apiextensions-apiserver/pkg/apiserver/conversion/converter.go).
var removedVersionPattern = regexp.MustCompile(`request to convert CR from an invalid group/version: ([^/\s]+)/([^/\s:;,]+)`)

// ParseRemovedVersion is the version in which an object of an API group is stored, where an error says that the
// CustomResourceDefinition of its type does not have this version: the object is intact.
func ParseRemovedVersion(err error, group string) (version string, ok bool) {
	if err == nil {
		return "", false
	}
	m := removedVersionPattern.FindStringSubmatch(OneLine(err.Error()))
	if m == nil || m[1] != group {
		return "", false
	}
	return m[2], true
}

// ParseUnreadableError says which objects an answer to a list could not contain. A
// conversion webhook that is down makes the API server mention corrupt
// objects too: those are intact.
func ParseUnreadableError(err error) (Unreadable, bool) {
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) {
		return Unreadable{}, false
	}
	status := answer.Status()
	u, ok := ParseUnreadable(OneLine(status.Message))
	if !ok || status.Details == nil {
		return u, ok
	}
	for _, cause := range status.Details.Causes {
		u.Keys = appendKey(u.Keys, cause.Field)
	}
	return u, true
}

// appendKey adds a field that is a key in etcd, once.
func appendKey(keys []string, field string) []string {
	if !strings.HasPrefix(field, "/") || slices.Contains(keys, field) {
		return keys
	}
	return append(keys, field)
}

// ParseUnreadable is ParseUnreadableError for an error of which only the text is left.
func ParseUnreadable(text string) (Unreadable, bool) {
	if strings.Contains(text, ConversionFailurePrefix) {
		return Unreadable{}, false
	}
	if m := corruptPattern.FindStringSubmatch(text); m != nil {
		return Unreadable{Keys: []string{m[1]}, Encrypted: strings.HasPrefix(m[2], "data"), Message: m[3]}, true
	}
	if m := notTransformablePattern.FindStringSubmatch(text); m != nil {
		return Unreadable{Keys: []string{m[1]}, Encrypted: true, Message: m[2]}, true
	}
	if m := notDecodablePattern.FindStringSubmatch(text); m != nil {
		return Unreadable{Message: m[1]}, true
	}
	return Unreadable{}, false
}

// ParseEtcdKey takes an object's key in etcd apart: its last two words are the
// namespace and the name, of an object without a namespace the last is its name.
func ParseEtcdKey(t stuck.Type, key string) (namespace, name string) {
	segments := strings.Split(key, "/")
	name = segments[len(segments)-1]
	if t.Namespaced && len(segments) > 1 {
		namespace = segments[len(segments)-2]
	}
	return namespace, name
}
