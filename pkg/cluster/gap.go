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
	return stuck.Gap{Source: source, Error: Reason(err), Needs: needs("list", t, err)}
}

// needs is the right that a refused request lacked.
func needs(verb string, t stuck.Type, err error) *stuck.Right {
	if !apierrors.IsForbidden(err) {
		return nil
	}
	return &stuck.Right{Verb: verb, Group: t.Group, Resource: t.Resource}
}

func getGap(t stuck.Type, namespace, name string, err error) stuck.Gap {
	source := t.One() + "/" + name
	if namespace != "" {
		source += " in namespace " + namespace
	}
	return stuck.Gap{Source: source, Error: Reason(err), Needs: needs("get", t, err)}
}

func sortGaps(gaps []stuck.Gap) {
	slices.SortFunc(gaps, func(a, b stuck.Gap) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Error, b.Error))
	})
}

// Reason is an error of the API server, or of the way to it, in one line.
func Reason(err error) string {
	var address *url.Error
	switch {
	case apierrors.IsForbidden(err):
		return "forbidden"
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer in time"
	case errors.As(err, &address):
		return oneLine(address.Err.Error())
	}
	text := oneLine(err.Error())
	// The API server puts a conversion webhook's failure behind words about
	// corrupt objects, which are not.
	if i := strings.Index(text, ConversionFailed); i >= 0 {
		return text[i:]
	}
	return text
}

// ConversionFailed begins what the API server says of a conversion webhook that
// it could not use (apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go).
const ConversionFailed = "conversion webhook for"

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
