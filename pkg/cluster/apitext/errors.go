package apitext

import (
	"context"
	"errors"
	"net/url"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// maxErrorLength is how much of an error is printed. What a server sends may run to
// megabytes, and would scroll everything else off the screen.
const maxErrorLength = 500

// ErrorMessage is an error of the API server, or of the way to it, in one line
// that is not too long.
func ErrorMessage(err error) string { return truncate(errorMessage(err), maxErrorLength) }

func errorMessage(err error) string {
	var urlErr *url.Error
	switch {
	case apierrors.IsForbidden(err):
		return "forbidden"
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer in time"
	case errors.As(err, &urlErr):
		return OneLine(urlErr.Err.Error())
	}
	text := OneLine(err.Error())
	// The API server puts a conversion webhook's failure behind words about
	// corrupt objects, which are not.
	if i := strings.Index(text, ConversionFailurePrefix); i >= 0 {
		return text[i:]
	}
	return text
}

// ConversionFailurePrefix begins what the API server says of a conversion webhook that
// it could not use (apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go).
const ConversionFailurePrefix = "conversion webhook for"

// OneLine is a text without line breaks and runs of blanks.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// CertificateError is what is wrong with a certificate, in the words of Go's
// crypto/x509 that an error of the API server quotes; false for any other error.
func CertificateError(message string) (string, bool) {
	_, why, ok := strings.Cut(message, "x509: ")
	return why, ok
}

// IsPodProxyForbidden reports whether the API server forbids the way to a Pod. What the Pod
// itself forbids does not name the subresource
// (k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go).
func IsPodProxyForbidden(err error) bool {
	return apierrors.IsForbidden(err) && strings.Contains(err.Error(), "pods/proxy")
}
