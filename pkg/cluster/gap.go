package cluster

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// listGap is the gap of a type that could not be listed.
func listGap(t stuck.Type, namespace string, err error) stuck.Gap {
	source := t.String()
	if namespace != "" && t.Namespaced {
		source += " in namespace " + namespace
	}
	return stuck.Gap{Source: source, Error: ErrorMessage(err), MissingPermission: missingPermission("list", t, err)}
}

// missingPermission is the right that a refused request lacked.
func missingPermission(verb string, t stuck.Type, err error) *stuck.Permission {
	if !apierrors.IsForbidden(err) {
		return nil
	}
	return &stuck.Permission{Verb: verb, Group: t.Group, Resource: t.Resource}
}

func getGap(t stuck.Type, namespace, name string, err error) stuck.Gap {
	source := t.Singular() + "/" + name
	if namespace != "" {
		source += " in namespace " + namespace
	}
	return stuck.Gap{Source: source, Error: ErrorMessage(err), MissingPermission: missingPermission("get", t, err)}
}

func sortGaps(gaps []stuck.Gap) {
	slices.SortFunc(gaps, func(a, b stuck.Gap) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Error, b.Error))
	})
}

// ErrorMessage is an error of the API server, or of the way to it, in one line.
func ErrorMessage(err error) string {
	var urlErr *url.Error
	switch {
	case apierrors.IsForbidden(err):
		return "forbidden"
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer in time"
	case errors.As(err, &urlErr):
		return oneLine(urlErr.Err.Error())
	}
	text := oneLine(err.Error())
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

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
