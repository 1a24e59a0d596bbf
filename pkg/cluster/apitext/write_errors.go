package apitext

import (
	"errors"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// The Status of these failures has no field that distinguishes them from others, so they are
// known by their words.
const (
	// patchTestFailed is what the API server says of a JSON patch of which a test
	// fails (apierrors.NewGenericServerResponse, called in
	// k8s.io/apiserver/pkg/endpoints/handlers/patch.go).
	patchTestFailed = "the server rejected our request due to an error in our request"
	// webhookWord is in every error about a webhook that could not be called: one
	// of admission, k8s.io/apiserver/pkg/util/webhook/error.go, and one that
	// converts, ConversionFailurePrefix.
	webhookWord = "webhook"
	// incompleteResponse is what client-go says of a response whose body broke off,
	// whatever the cause (k8s.io/client-go/rest/request.go).
	incompleteResponse = "when reading response body"
)

// IsIncompleteResponse reports whether the response to a request began and did not end.
func IsIncompleteResponse(err error) bool {
	var answer apierrors.APIStatus
	return err != nil && !errors.As(err, &answer) && strings.Contains(err.Error(), incompleteResponse)
}

// IsOutdated reports whether a write was refused because the object is not as it was
// seen: by its resourceVersion, or by a test of the patch.
func IsOutdated(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsInvalid(err) && strings.Contains(err.Error(), patchTestFailed)
}

// IsWebhookFailure reports whether an error of the API server is that of a webhook:
// one that it could not call, or that failed by itself. It looks like trouble of
// the API server's own by its code, but lasts.
func IsWebhookFailure(err error) bool {
	var answer apierrors.APIStatus
	return errors.As(err, &answer) && answer.Status().Code >= http.StatusInternalServerError && strings.Contains(err.Error(), webhookWord)
}
