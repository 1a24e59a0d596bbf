package cmd

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/kubectl/pkg/util/term"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// identity is what contexts of the same cluster have in common.
type identity struct {
	server, proxy, serverName string
	// authority is a hash of the certificate authority, empty where the kubeconfig names none.
	authority string
	// namespace is the one that is read, empty where that of the context does not matter.
	namespace string
}

// identifiedCluster is a cluster, and what tells it from others.
type identifiedCluster struct {
	fleetCluster
	identity identity
	// uid is that of the namespace kube-system, empty where it could not be read.
	uid types.UID
	// asks says that a credential plugin may ask the user.
	asks bool
}

// identify groups the contexts by clusters. Those with the same server and certificate authority
// are the same cluster, and so are those with the same certificate authority whose namespace
// kube-system has the same uid: a cluster may have several addresses. The uid alone proves nothing: a copy
// that was restored from a backup has it too, and any server can claim it.
func (o fleetOptions) identify(ctx context.Context, progress *progress) ([]fleetCluster, error) {
	byAddress := o.groupByAddress()
	var alone, atOnce []*identifiedCluster
	for _, c := range byAddress {
		switch {
		case c.err != nil:
		case c.asks && term.IsTerminal(o.program.Streams.In):
			alone = append(alone, c)
		default:
			atOnce = append(atOnce, c)
		}
	}
	for _, c := range alone { // one after the other: two prompts on one terminal cannot be told apart
		progress.line("connecting to "+c.title()+" ", "") // what the plugin prints comes behind it
		if err := o.forEach(ctx, 1, nil, func(int) { o.connect(ctx, c) }); err != nil {
			return nil, err
		}
	}
	err := o.forEach(ctx, len(atOnce), func(done int) { progress.connected(done, len(atOnce)) }, func(i int) { o.connect(ctx, atOnce[i]) })
	if err != nil {
		return nil, err
	}
	var out []*identifiedCluster
	for _, c := range byAddress {
		same := slices.IndexFunc(out, func(known *identifiedCluster) bool { return c.isSame(known) })
		if same < 0 {
			out = append(out, c)
			continue
		}
		out[same].contexts = append(out[same].contexts, c.contexts...)
	}
	var clusters []fleetCluster
	for _, c := range out {
		clusters = append(clusters, c.fleetCluster)
	}
	return clusters, nil
}

// isSame reports whether two clusters with different addresses are one.
func (c *identifiedCluster) isSame(other *identifiedCluster) bool {
	return c.err == nil && other.err == nil && c.uid != "" && c.uid == other.uid &&
		c.identity.authority != "" && c.identity.authority == other.identity.authority && c.identity.namespace == other.identity.namespace
}

// groupByAddress groups the contexts by what the kubeconfig says of their clusters.
func (o fleetOptions) groupByAddress() []*identifiedCluster {
	var out []*identifiedCluster
	for _, each := range o.contexts {
		c := &identifiedCluster{fleetCluster: fleetCluster{contexts: []kubeContext{each}, err: each.err}}
		out = append(out, c)
		if c.err != nil {
			continue
		}
		if c.identity, c.asks, c.err = identityOf(each.flags, o.anyNamespace); c.err != nil {
			continue
		}
		c.server = c.identity.server
		for _, known := range out[:len(out)-1] {
			if known.err == nil && known.identity == c.identity {
				known.contexts, known.asks = append(known.contexts, each), known.asks || c.asks
				out = out[:len(out)-1]
				break
			}
		}
	}
	return out
}

// identityOf is what the kubeconfig says of a cluster, and whether its credentials come from a plugin
// that may ask the user.
func identityOf(flags *genericclioptions.ConfigFlags, anyNamespace bool) (id identity, asks bool, err error) {
	config, err := restConfig(flags)
	if err != nil {
		return id, false, err
	}
	id = identity{server: strings.TrimSuffix(config.Host, "/"), serverName: config.ServerName}
	authority := config.CAData
	if len(authority) == 0 && config.CAFile != "" {
		if authority, err = os.ReadFile(config.CAFile); err != nil {
			return id, false, fmt.Errorf("reading the certificate authority: %w", err)
		}
	}
	if len(authority) > 0 {
		id.authority = fmt.Sprintf("%x", sha256.Sum256(authority))
	}
	if raw, err := flags.ToRawKubeConfigLoader().RawConfig(); err == nil {
		if selected := raw.Contexts[*flags.Context]; selected != nil && raw.Clusters[selected.Cluster] != nil {
			id.proxy = raw.Clusters[selected.Cluster].ProxyURL
		}
	}
	if !anyNamespace {
		id.namespace, err = namespaceOf(flags)
	}
	return id, config.ExecProvider != nil && config.ExecProvider.InteractiveMode != api.NeverExecInteractiveMode, err
}

// connect asks a cluster for its uid, with the first context whose credentials it accepts.
func (o fleetOptions) connect(ctx context.Context, c *identifiedCluster) {
	for i, each := range c.contexts {
		read, err := withTimeLimit(ctx, readBudgetOf(each.flags), func(ctx context.Context) (*metav1.PartialObjectMetadata, error) {
			source, err := o.program.Connect(each.flags)
			if err != nil {
				return nil, err
			}
			// The time for the reads of the command may be over, after logins of others.
			return source.Metadata(withReadBudget(ctx, each.flags, 0), cluster.NamespaceType, "", metav1.NamespaceSystem)
		})
		switch {
		case err == nil:
			c.uid = read.UID
		case !isUnreachable(err): // such as a lack of permission
		case i == 0:
			c.err = err
			fallthrough
		default:
			if isTimeout(err) { // with other credentials it would take as long
				return
			}
			continue
		}
		c.contexts = slices.Concat(c.contexts[i:i+1], c.contexts[:i], c.contexts[i+1:])
		c.err = nil
		return
	}
}

// isUnreachable reports whether an error is one with which nothing of a cluster can be read.
func isUnreachable(err error) bool {
	var address *url.Error
	return apierrors.IsUnauthorized(err) || errors.As(err, &address) || isTimeout(err) || errors.Is(err, context.Canceled)
}

func isTimeout(err error) bool {
	var limit timeLimitError
	return errors.As(err, &limit) || errors.Is(err, context.DeadlineExceeded)
}
