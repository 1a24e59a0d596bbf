package apitext

import (
	"errors"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// ConversionFailure is what the API server says of a conversion webhook that did not
// convert an object.
type ConversionFailure struct {
	// Refused says that the webhook answered, and refused.
	Refused bool
	// Version is the version in which the object is stored.
	Version string
	// Message is what the webhook answered, or why it could not be asked.
	Message string
	// Keys are where the objects lie in etcd that could not be converted, none where
	// the API server does not say.
	Keys []string
}

// conversionPattern is how the API server mentions a conversion webhook
// (apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go).
var conversionPattern = regexp.MustCompile(`conversion webhook for [^,\s]*?([^/,\s]+), Kind=\S+ (?:failed: )?(.*)`)

// webhookNotCalledPattern begins the errors of a webhook that could not be asked: it could not be
// reached, or what is there does not understand the question
// (k8s.io/client-go/rest/request.go).
var webhookNotCalledPattern = regexp.MustCompile(`^(?:Post "|the server |an error on the server |Internal error occurred|no kind |couldn't get version/kind|unable to )`)

// ParseConversionFailure is the failure of a conversion webhook that an error is.
func ParseConversionFailure(err error) (ConversionFailure, bool) {
	if err == nil || !strings.Contains(err.Error(), ConversionFailurePrefix) {
		return ConversionFailure{}, false
	}
	text := OneLine(err.Error())
	m := conversionPattern.FindStringSubmatch(text)
	if m == nil {
		return ConversionFailure{Message: text}, true
	}
	f := ConversionFailure{Version: m[1], Message: m[2], Refused: !webhookNotCalledPattern.MatchString(m[2])}
	if key := corruptPattern.FindStringSubmatch(text); key != nil {
		f.Keys = append(f.Keys, key[1])
	}
	var answer apierrors.APIStatus
	if errors.As(err, &answer) && answer.Status().Details != nil {
		for _, cause := range answer.Status().Details.Causes {
			f.Keys = appendKey(f.Keys, cause.Field)
		}
	}
	return f, true
}
