package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// completesKubectl stands for kubectl in the place of a shell.
const completesKubectl = "kubectl"

// shells are those that completion code can be written for, and kubectl.
func shells() []string { return []string{"bash", "fish", completesKubectl, "powershell", "zsh"} }

func (p Program) newCompletion() *cobra.Command {
	var install bool
	c := &cobra.Command{
		Use:   "completion SHELL|kubectl",
		Short: "Print or install the completion code of a shell, or of kubectl",
		Long: `Print the code that lets a shell complete the command line of kubectl-finalizers: bash, fish, powershell or zsh.

To complete "kubectl finalizers", kubectl itself runs an executable with the name kubectl_complete-finalizers on the PATH. "completion kubectl" prints it,
and --install puts it beside the plugin. A file of that name that is something else is not replaced.`,
		Example: `  # Complete kubectl-finalizers in this bash
  source <(kubectl-finalizers completion bash)

  # Complete "kubectl finalizers", in every shell in which kubectl completes
  kubectl finalizers completion kubectl --install`,
		ValidArgs: shells(),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("completion takes one of: %s", strings.Join(shells(), ", "))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkInstall(c, args[0]); err != nil {
				return err
			}
			root, out := c.Root(), p.Streams.Out
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(out, true)
			case "fish":
				return root.GenFishCompletion(out, true)
			case completesKubectl:
				return p.printKubectlCompletion(install)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(out)
			case "zsh":
				return root.GenZshCompletion(out)
			}
			return fmt.Errorf("unknown shell %q%s; completion takes one of: %s", args[0], didYouMean(namesLike(args[0], shells())), strings.Join(shells(), ", "))
		},
	}
	c.Flags().BoolVar(&install, "install", false, "With kubectl: install the code beside the plugin, on the PATH.")
	return c
}
