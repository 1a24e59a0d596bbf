package cmd

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// defaultHost is where kubectl looks for a server that nothing names
// (k8s.io/client-go/tools/clientcmd/client_config.go). Whatever listens there
// is hardly the cluster that is meant.
const defaultHost = "http://localhost:8080"

// readBudget is how long all the reads of a command may take together. A survey
// of 320,000 objects takes 10 s where the API server is near
// (docs/performance.md).
const readBudget = 2 * time.Minute

// withReadBudget gives the reads of a command their deadline, which is later for a
// command that looks on for a while, and where requests are given long.
func withReadBudget(ctx context.Context, flags *genericclioptions.ConfigFlags, watching time.Duration) context.Context {
	// What cannot be parsed is an error of the configuration, and told there.
	requestTimeout, _ := clientcmd.ParseTimeout(*flags.Timeout)
	return cluster.WithReadBudget(ctx, max(readBudget, 3*requestTimeout)+watching)
}

// restConfig is how to reach the server that the flags point at.
func restConfig(flags *genericclioptions.ConfigFlags) (*rest.Config, error) {
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

// namespaceOf is the namespace that the flags and the kubeconfig choose.
func namespaceOf(flags *genericclioptions.ConfigFlags) (string, error) {
	namespace, _, err := flags.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return "", configError(err)
	}
	return namespace, checkNamespace(namespace)
}

// checkNamespace refuses what no namespace can be called: a request for it would be
// another one, or find nothing for a reason that nobody sees.
func checkNamespace(namespace string) error {
	if len(validation.ValidateNamespaceName(namespace, false)) > 0 {
		return fmt.Errorf("%q cannot be the name of a namespace: those are made of lowercase letters, digits and hyphens; check -n and the kubeconfig", namespace)
	}
	return nil
}

// namespaceNotFound is the error of a namespace to look in that does not exist.
func namespaceNotFound(namespace string) error {
	return fmt.Errorf("namespace %q not found: check -n and --context", namespace)
}

// openSource opens the source that the flags point at, and says which namespace is
// meant there.
func (p Program) openSource(flags *genericclioptions.ConfigFlags) (cluster.Source, string, error) {
	source, err := p.Connect(flags) // whose error says more than that of the namespace
	if err != nil {
		return nil, "", err
	}
	namespace, err := namespaceOf(flags)
	return source, namespace, err
}

// loadTypesAndCatalog is what a command has to know before it looks at anything: what the
// cluster serves, and what is known of finalizers.
func (p Program) loadTypesAndCatalog(ctx context.Context, source cluster.Source) (servedTypes, *catalog.Catalog, error) {
	known, err := p.Catalog()
	if err != nil {
		return servedTypes{}, nil, err
	}
	served, err := discover(ctx, source)
	return served, known, err
}

// discover reads the types of the cluster. No cluster is without any, and to
// take a server that names none for one would make all the world look well.
func discover(ctx context.Context, source cluster.Source) (servedTypes, error) {
	types, gaps, err := source.Types(ctx)
	if err == nil && len(types) == 0 && len(gaps) == 0 {
		err = errNotKubernetes
	}
	return servedTypes{types, gaps}, err
}
