package removal

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// credentialName is the name of an entry of a ConfigMap that somebody should have
// kept in a Secret.
var credentialName = regexp.MustCompile(`(?i)password|passwd|token|secret|credential|kubeconfig|private|dockerconfig|\.key$|\.pem$`)

// credentialValue is what a credential looks like inside an entry: a key, a
// password in an address, a token of a well-known form, or a value behind a name
// that says so.
var credentialValue = regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY|://[^/\s:@]+:[^/\s@]+@|` +
	`\bAKIA[0-9A-Z]{16}\b|\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.|(?i:authorization["']?\s*[:=]\s*["']?(?:bearer|basic)\s)|` +
	`(?i:password|passwd|passphrase|\bpwd|token|secret|credentials?|"auth"|(?:api|access|secret|private)[-_]?key|client-key-data)["']?\s*[:=]\s*["']?[^\s"'{\[]`)

// lastApplied is where kubectl apply keeps all of an object as it was applied,
// a Secret's data included.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// withoutCredentials takes out what must not lie on a disk, and says so. The
// contents of a Secret were never read in the first place.
func withoutCredentials(o *unstructured.Unstructured) (stripped *unstructured.Unstructured, omitted string) {
	if o.GetAPIVersion() != "v1" {
		return o, ""
	}
	switch o.GetKind() {
	case "Secret":
		unstructured.RemoveNestedField(o.Object, "metadata", "annotations", lastApplied)
		return o, "the data of a Secret"
	case "ConfigMap":
		removed := removeCredentialEntries(o)
		if len(removed) > 0 {
			unstructured.RemoveNestedField(o.Object, "metadata", "annotations", lastApplied)
			return o, "the entries " + strings.Join(removed, ", ")
		}
	}
	return o, ""
}

// removeCredentialEntries takes the entries out of a ConfigMap that look like credentials.
func removeCredentialEntries(o *unstructured.Unstructured) []string {
	var removed []string
	for _, field := range []string{"data", "binaryData"} {
		entries, _, _ := unstructured.NestedMap(o.Object, field) // whatever else it is, it has no entries
		for name, value := range entries {
			if credentialName.MatchString(name) || credentialValue.MatchString(entryText(value)) {
				unstructured.RemoveNestedField(o.Object, field, name)
				removed = append(removed, name)
			}
		}
	}
	slices.Sort(removed)
	return removed
}

// entryText is the text of an entry; those of binaryData are base64.
func entryText(value any) string {
	text, _ := value.(string)
	if decoded, err := base64.StdEncoding.DecodeString(text); err == nil {
		return text + "\n" + string(decoded)
	}
	return text
}
