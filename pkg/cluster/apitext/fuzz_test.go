package apitext

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// recordedMessages are what API servers and controllers said in the stories. A text in YAML goes on in the lines that are
// indented further.
func recordedMessages(f *testing.F) []string {
	f.Helper()
	files, err := filepath.Glob("../../../testdata/scenarios/*/recording.yaml")
	if err != nil || len(files) == 0 {
		f.Fatalf("there are no recordings: %v", err)
	}
	seen := map[string]bool{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		lines := strings.Split(string(content), "\n")
		for i, line := range lines {
			key, text, ok := strings.Cut(line, "message: ")
			for _, more := range lines[i+1:] {
				if !ok || len(more)-len(strings.TrimLeft(more, " ")) <= len(key) {
					break
				}
				text += more
			}
			if ok {
				seen[strings.Trim(OneLine(text), `'"`)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// answered is the error of an API server that answers with a text, and names a field in its causes.
func answered(code int32, reason, text, field string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Code: code, Reason: metav1.StatusReason(reason), Message: text,
		Details: &metav1.StatusDetails{Kind: "Widget", Causes: []metav1.StatusCause{{Field: field, Message: text}, {Field: field}}},
	}}
}

// FuzzUnreadable holds that what is said of unreadable and unconverted objects is in the text, and is one of the two.
func FuzzUnreadable(f *testing.F) {
	for _, text := range recordedMessages(f) {
		f.Add(text, "/registry/example.com/widgets/shop/a", "example.com")
	}
	f.Add(`Internal error occurred: unable to transform key "/registry/secrets/shop/tls": no matching key`, "/", "")
	f.Add("failed to list example.com/v1, Kind=Menu: unexpected end of JSON input", "spec", "example.com")
	f.Add("request to convert CR from an invalid group/version: example.com/v1alpha1", "", "example.com")
	f.Fuzz(func(t *testing.T, text, field, group string) {
		err, line := answered(500, "InternalError", text, field), OneLine(text)
		unreadable, isUnreadable := ParseUnreadableError(err)
		conversion, isConversion := ParseConversionFailure(err)
		if isUnreadable && isConversion {
			t.Errorf("%q is of an unreadable object and of a webhook", text)
		}
		keys := slices.Concat(unreadable.Keys, conversion.Keys)
		for i, key := range keys {
			if key == "" || slices.Contains(keys[:i], key) || key != field && !strings.Contains(line, key) {
				t.Errorf("%q, %q has the keys %q", text, field, keys)
			}
			namespace, name := ParseEtcdKey(stuck.Type{Namespaced: true}, key)
			if strings.Contains(namespace+name, "/") || !strings.HasSuffix("/"+key, "/"+name) {
				t.Errorf("the key %q is of %q in %q", key, name, namespace)
			}
		}
		for _, part := range []string{unreadable.Message, conversion.Message, conversion.Version} {
			if !strings.Contains(line, part) {
				t.Errorf("%q is not in %q", part, line)
			}
		}
		if version, ok := ParseRemovedVersion(err, group); ok && !strings.Contains(line, group+"/"+version) {
			t.Errorf("%q is not in %q", group+"/"+version, line)
		}
	})
}

// isPath reports whether a text consists of names and slashes.
func isPath(text string) bool {
	for i := range len(text) {
		if !isNameByte(text[i]) && text[i] != '/' {
			return false
		}
	}
	return text != ""
}

// FuzzConversion holds that what the API server says of a conversion webhook and of the object's key is found.
func FuzzConversion(f *testing.F) {
	f.Add("/registry/billing.example.com/invoices/billing/no-2", "billing.example.com", "v1", `Post "https://c.billing.svc:443/": service "c" not found`)
	f.Add("/a", "g", "v1", `spec.total: cannot convert "twelve"`)
	f.Fuzz(func(t *testing.T, key, group, version, why string) {
		if why = OneLine(why); !isPath(key) || !isPath(group) || !isPath(version) || strings.Contains(group+version, "/") || why == "" {
			return
		}
		text := fmt.Sprintf("StorageError: corrupt object, Code: 7, Key: %s, ResourceVersion: 0, AdditionalErrorMsg: object not decodable revision=2: "+
			"conversion webhook for %s/%s, Kind=Invoice failed: %s", key, group, version, why)
		got, ok := ParseConversionFailure(errors.New(text))
		if !ok || got.Version != version || got.Message != why || !slices.Equal(got.Keys, []string{key}) {
			t.Errorf("%q is read as %+v", text, got)
		}
		if got, ok := ParseUnreadable(text); ok {
			t.Errorf("%q is read as an unreadable object: %+v", text, got)
		}
	})
}

// FuzzRejections holds that a rejection names what rejected, in the words of the text, and that an error is one line that is
// not too long.
func FuzzRejections(f *testing.F) {
	for i, text := range recordedMessages(f) {
		f.Add(text, []int32{403, 409, 422, 500}[i%4], []string{"Forbidden", "Conflict", "Invalid", "InternalError"}[i%4], "spec.size")
	}
	f.Add("the server rejected our request due to an error in our request", int32(422), "Invalid", "")
	f.Fuzz(func(t *testing.T, text string, code int32, reason, field string) {
		err, line := answered(code, reason, text, field), OneLine(text)
		rejection := RejectionFromError(err)
		if rejection != nil {
			wantOneRejection(t, line, *rejection)
		}
		if parsed, ok := ParseRejection(line); ok {
			quoted, isQuoted := QuotedRejection("updating failed: " + line)
			if parsed.By != WebhookNoDryRun && parsed.PolicyKind != MutatingPolicy && !isQuoted {
				t.Errorf("%q is not found where it is quoted", line)
			}
			if isQuoted {
				wantOneRejection(t, line, quoted)
			}
		}
		message := ErrorMessage(err)
		if utf8.RuneCountInString(message) > maxErrorLength+len("...") || strings.ContainsAny(message, "\r\n\t") {
			t.Errorf("the error is %d characters long: %q", utf8.RuneCountInString(message), message)
		}
		if !strings.HasSuffix(text, WithoutObject(text)) {
			t.Errorf("without its object, %q is %q", text, WithoutObject(text))
		}
		if IsIncompleteResponse(err) || IsWebhookFailure(err) && code < 500 || IsPodProxyForbidden(err) && reason != "Forbidden" && code != 403 {
			t.Errorf("%d %s %q: incomplete %t, a webhook's %t", code, reason, text, IsIncompleteResponse(err), IsWebhookFailure(err))
		}
		if problem, ok := CertificateError(line); ok && !strings.HasSuffix(line, problem) {
			t.Errorf("%q is not in %q", problem, line)
		}
	})
}

func wantOneRejection(t *testing.T, line string, r Rejection) {
	t.Helper()
	if r.By == "" || r.By != ValidationFailed && r.Name == "" || r.By == PolicyDenied && r.PolicyKind == "" || r.Message == "" && r.By != ValidationFailed {
		t.Errorf("%q is %+v", line, r)
	}
	for _, part := range []string{r.Name, r.Binding, r.Resource.Group, r.Resource.Resource} {
		if !strings.Contains(line, part) {
			t.Errorf("%q is not in %q", part, line)
		}
	}
	if r.Message != "no reason given" && !strings.Contains(line, r.Message) && !strings.Contains(WithoutValues(line), r.Message) {
		t.Errorf("%q is not in %q", r.Message, line)
	}
	if url, ok := r.CalledURL(); ok && !strings.Contains(line, url) {
		t.Errorf("%q is not in %q", url, line)
	}
}

// FuzzQuotes holds that a name is found wherever it stands in quotes, and finalizers in the rejection that lists them.
func FuzzQuotes(f *testing.F) {
	f.Add(`secrets `, "creds", ` not found`)
	f.Add(`"creds-2" and `, "creds", "")
	f.Add("xa:a", "a:a", "")
	f.Fuzz(func(t *testing.T, before, name, after string) {
		if text := before + ` "` + name + `" ` + after; Quotes(text, name) != (name != "") {
			t.Errorf("%q quotes %q: %t", text, name, Quotes(text, name))
		}
		if Quotes(before, name) && !strings.Contains(before, name) {
			t.Errorf("%q quotes %q", before, name)
		}
		if !isPath(name) {
			return
		}
		text := fmt.Sprintf("no new finalizers can be added if the object is being deleted, found new finalizers %#v", []string{name, "example.com/b"})
		if got, ok := QuotedNewFinalizers(text); !ok || !slices.Equal(got, []string{name, "example.com/b"}) {
			t.Errorf("%q quotes the finalizers %q", text, got)
		}
	})
}
