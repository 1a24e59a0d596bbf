package cmd

import (
	"context"
	"errors"
	"net/url"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/tools/clientcmd"
)

// explainError is an error in one line that says what to do next.
func explainError(err error, flags *genericclioptions.ConfigFlags) string {
	var address *url.Error
	switch {
	case clientcmd.IsEmptyConfig(err):
		return "no cluster to talk to: there is no kubeconfig; set KUBECONFIG or pass --kubeconfig"
	case apierrors.IsUnauthorized(err):
		return "the API server" + at(flags) + " does not accept these credentials: log in again, or choose others with --context or --user"
	case errors.Is(err, context.DeadlineExceeded):
		return "the API server" + at(flags) + " does not answer: check --context, --server and the network"
	case errors.As(err, &address):
		return "cannot reach the API server" + at(flags) + ": " + oneLine(address.Err.Error()) + "; check --context, --server and the network"
	}
	return oneLine(err.Error())
}

// at names the server that the flags point at.
func at(flags *genericclioptions.ConfigFlags) string {
	config, err := flags.ToRESTConfig()
	if err != nil {
		return ""
	}
	return " at " + config.Host
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
