package cmd

import (
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
)

// Remote is the cluster as force-remove and restore see it.
type Remote struct {
	Cluster removal.Cluster
	Self    live.CurrentUser
	Writer  *removal.Writer
}

// openRemote goes by the same flags as Connect, which read the kubeconfig once:
// what is read and what is written is one cluster, whatever becomes of the file.
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
