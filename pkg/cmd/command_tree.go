package cmd

import (
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
)

// CommandTree is the tree of commands, for programs that write pages about it.
func (p Program) CommandTree() *cobra.Command {
	return p.command(genericclioptions.NewConfigFlags(true), func(string) error { return nil })
}
