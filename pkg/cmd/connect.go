package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/find"
)

// defaultHost is the server that client-go uses when none is configured
// (k8s.io/client-go/tools/clientcmd/client_config.go). A server there is hardly the
// cluster that is meant.
const defaultHost = "http://localhost:8080"

// withReadBudget sets the deadline for the reads of a command. It is later for a command
// that watches for some time, and for a long --request-timeout.
func withReadBudget(ctx context.Context, flags *genericclioptions.ConfigFlags, watching time.Duration) context.Context {
	return cluster.WithReadBudget(ctx, readBudgetOf(flags)+watching)
}

func readBudgetOf(flags *genericclioptions.ConfigFlags) time.Duration {
	// restConfig reports a timeout that cannot be parsed.
	requestTimeout, _ := clientcmd.ParseTimeout(*flags.Timeout)
	return max(find.ReadBudget, 3*requestTimeout)
}

// restConfig is the configuration for the server that the flags select.
func restConfig(flags *genericclioptions.ConfigFlags) (*rest.Config, error) {
	if isFolder(*flags.KubeConfig) {
		return nil, errors.New("--kubeconfig names a folder, which only list, health, preflight and snapshot read: name a file in it")
	}
	config, err := flags.ToRESTConfig()
	if err != nil {
		return nil, configError(err)
	}
	raw, err := flags.ToRawKubeConfigLoader().RawConfig()
	if err != nil {
		return nil, configError(err)
	}
	if config.Host == defaultHost && api.IsConfigEmpty(&raw) && *flags.APIServer == "" {
		return nil, errNoCluster
	}
	if config.Host == defaultHost && raw.CurrentContext == "" && *flags.Context == "" && *flags.APIServer == "" {
		return nil, errNoContext
	}
	return config, nil
}

// namespaceOf is the namespace that the flags and the kubeconfig select.
func namespaceOf(flags *genericclioptions.ConfigFlags) (string, error) {
	namespace, _, err := flags.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return "", configError(err)
	}
	return namespace, checkNamespace(namespace)
}

// checkNamespace refuses what cannot be the name of a namespace: it would change the path
// of a request, or find nothing for a reason that is not visible.
func checkNamespace(namespace string) error {
	if len(validation.ValidateNamespaceName(namespace, false)) > 0 {
		return fmt.Errorf("%q cannot be the name of a namespace, which has lowercase letters, digits and hyphens only; check -n and the kubeconfig", namespace)
	}
	return nil
}

// namespaceNotFound is the error for a namespace in -n that does not exist.
func namespaceNotFound(namespace string) error {
	return absentError(fmt.Sprintf("namespace %q not found: check -n and --context", namespace))
}

// absentError is the error of a namespace or a type that the cluster does not have. Another may have
// it.
type absentError string

func (a absentError) Error() string { return string(a) }

// isAbsence reports whether an error says that the cluster does not have what was named.
func isAbsence(err error) bool {
	return errors.As(err, new(absentError)) || errors.As(err, new(notFoundError))
}

// openSource opens the source that the flags select, and returns the namespace that they
// select.
func (p Program) openSource(flags *genericclioptions.ConfigFlags) (cluster.Source, string, error) {
	source, err := p.Connect(flags) // its error says more than the error of namespaceOf
	if err != nil {
		return nil, "", err
	}
	namespace, err := namespaceOf(flags)
	return source, namespace, err
}

// loadTypesAndCatalog loads what a command needs before it reads any object: the types that
// the cluster serves, and the catalog of finalizers.
func (p Program) loadTypesAndCatalog(ctx context.Context, source cluster.Source) (servedTypes, *catalog.Catalog, error) {
	known, err := p.Catalog()
	if err != nil {
		return servedTypes{}, nil, err
	}
	served, err := discover(ctx, source)
	return served, known, err
}

// discover reads the types of the cluster.
func discover(ctx context.Context, source cluster.Source) (servedTypes, error) {
	types, gaps, err := find.Types(ctx, source)
	return servedTypes{types, gaps}, err
}
