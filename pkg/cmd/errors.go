package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/find"
)

var (
	errNoCluster = errors.New("no cluster to talk to: there is no kubeconfig; set KUBECONFIG or pass --kubeconfig")
	errNoContext = errors.New("no cluster to talk to: the kubeconfig has no current context; pass --context, or set it with kubectl config use-context")
)

// errorText is an error in one line that says what to do next.
func errorText(err error, flags *genericclioptions.ConfigFlags) string {
	text := []rune(fullErrorText(err, flags))
	if len(text) > maxErrorLength {
		return string(text[:maxErrorLength]) + "..."
	}
	return string(text)
}

// maxErrorLength limits how much of an error is printed: a server may send megabytes.
const maxErrorLength = 2000

func fullErrorText(err error, flags *genericclioptions.ConfigFlags) string {
	var address *url.Error
	switch {
	case apierrors.IsUnauthorized(err):
		return "the API server" + atServer(flags) + " does not accept these credentials: log in again, or select others with --context or --user"
	case errors.Is(err, context.DeadlineExceeded):
		return "the API server" + atServer(flags) + " does not respond: check --context, --server and the network"
	case isNotKubernetes(err):
		return "the server" + atServer(flags) + " is not a Kubernetes API server: check --context and --server"
	case apierrors.IsForbidden(err):
		return message(err) + "; ask for that right, or select other credentials with --context or --user"
	case isServerTrouble(err):
		return message(err) + "; the API server" + atServer(flags) + ", or a proxy in front of it, has a problem: try again, or see kubectl get --raw='/readyz?verbose'"
	case errors.As(err, &address):
		return "cannot reach the API server" + atServer(flags) + ": " + oneLine(address.Err.Error()) + "; check --context, --server and the network"
	}
	return message(err)
}

// isServerTrouble reports whether the server returned an error of its own.
func isServerTrouble(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && (status.Status().Code >= http.StatusInternalServerError || apierrors.IsTooManyRequests(err))
}

// isNotKubernetes reports whether the response to the first request, for the types, is not
// one of an API server.
func isNotKubernetes(err error) bool {
	var status apierrors.APIStatus
	var syntax *json.SyntaxError
	var shape *json.UnmarshalTypeError
	switch {
	case errors.Is(err, find.ErrNotKubernetes), errors.As(err, &syntax), errors.As(err, &shape):
		return true
	case errors.As(err, &status):
		// An API server that has a problem may respond in another format too.
		return status.Status().Code < http.StatusInternalServerError && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
	}
	return false
}

// message is the text of an error, without the "error" with which some libraries start
// it.
func message(err error) string {
	text := []rune(strings.TrimPrefix(oneLine(err.Error()), "error "))
	if len(text) > 1 && !unicode.IsUpper(text[1]) {
		text[0] = unicode.ToLower(text[0])
	}
	return string(text)
}

// configError is an error in the kubeconfig, or in a flag that selects from it.
func configError(err error) error {
	return fmt.Errorf("reading the kubeconfig: %s; check --kubeconfig, --context, --cluster and --user", message(err))
}

// flagError is an error in the flags of a command.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	similar := ""
	switch {
	case !errors.As(err, &unknown):
	case unknown.GetSpecifiedName() == "from":
		return fmt.Errorf("%s needs an API server: --from reads a dump, which only list, explain and preflight do", c.Name())
	case len(unknown.GetSpecifiedName()) > 1:
		similar = didYouMean(flagsLike(c, unknown.GetSpecifiedName()))
	}
	return fmt.Errorf("%w%s; see %s --help", err, similar, c.CommandPath())
}

// noArgs refuses every argument.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unknown command %q for %q%s; see %s --help", args[0], c.CommandPath(), didYouMean(commandsLike(c, args[0])), c.CommandPath())
	}
	return nil
}

// atServer names the server that the flags select.
func atServer(flags *genericclioptions.ConfigFlags) string {
	config, err := flags.ToRESTConfig()
	if err != nil {
		return ""
	}
	return " at " + config.Host
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
