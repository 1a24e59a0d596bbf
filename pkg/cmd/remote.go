package cmd

import (
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
)

// Remote is what force-remove and restore need of the cluster.
type Remote struct {
	Cluster removal.Cluster
	Self    live.CurrentUser
	Writer  *removal.Writer
}

// openRemote uses the same flags as Connect, which read the kubeconfig once: reads and
// writes go to the same cluster even if the file changes in between.
func openRemote(flags *genericclioptions.ConfigFlags) (Remote, error) {
	config, err := restConfig(flags)
	if err != nil {
		return Remote{}, err
	}
	r := Remote{Cluster: removal.Cluster{Server: config.Host, Context: *flags.Context}}
	if raw, err := flags.ToRawKubeConfigLoader().RawConfig(); err == nil && r.Cluster.Context == "" {
		r.Cluster.Context = raw.CurrentContext
	}
	if r.Self, err = live.NewCurrentUser(config); err != nil {
		return Remote{}, err
	}
	r.Writer, err = removal.NewWriter(live.WriteConfig(config))
	return r, err
}
