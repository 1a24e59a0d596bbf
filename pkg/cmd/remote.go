package cmd

import (
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
)

// Remote is the cluster as force-remove and restore see it.
type Remote struct {
	// Server and Context say which cluster it is.
	Server  string
	Context string
	Self    cluster.Self
	Writer  *removal.Writer
}

func openRemote(flags *genericclioptions.ConfigFlags) (Remote, error) {
	config, err := connection(flags)
	if err != nil {
		return Remote{}, err
	}
	r := Remote{Server: config.Host, Context: *flags.Context}
	if raw, err := flags.ToRawKubeConfigLoader().RawConfig(); err == nil && r.Context == "" {
		r.Context = raw.CurrentContext
	}
	if r.Self, err = cluster.NewSelf(config); err != nil {
		return Remote{}, err
	}
	r.Writer, err = removal.NewWriter(config)
	return r, err
}
