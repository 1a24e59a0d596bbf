package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// shells are those that completion code can be written for.
func shells() []string { return []string{"bash", "fish", "powershell", "zsh"} }

func (p Program) newCompletion() *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the completion code of a shell",
		Long: `Print the code that lets a shell complete the command line of kubectl-finalizers: bash, fish, powershell or zsh.

To complete "kubectl finalizers", kubectl itself asks an executable with the name kubectl_complete-finalizers on the PATH. See the last example.`,
		Example: `  # Complete kubectl-finalizers in this bash
  source <(kubectl-finalizers completion bash)

  # Complete "kubectl finalizers", in every shell in which kubectl completes
  printf '#!/bin/sh\nexec kubectl finalizers __complete "$@"\n' \
    > ~/.local/bin/kubectl_complete-finalizers
  chmod +x ~/.local/bin/kubectl_complete-finalizers`,
		ValidArgs: shells(),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("completion takes one shell: %s", strings.Join(shells(), ", "))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			root, out := c.Root(), p.Streams.Out
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(out, true)
			case "fish":
				return root.GenFishCompletion(out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(out)
			case "zsh":
				return root.GenZshCompletion(out)
			}
			return fmt.Errorf("unknown shell %q%s; completion takes one of: %s", args[0], didYouMean(namesLike(args[0], shells())), strings.Join(shells(), ", "))
		},
	}
}
