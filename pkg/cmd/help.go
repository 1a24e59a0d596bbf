package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/kubectl/pkg/util/templates"
	"k8s.io/kubectl/pkg/util/term"
)

// setHelp gives all commands the help of kubectl: examples before flags, the flags of all commands in a command of their
// own, and commands in groups.
func (p Program) setHelp(root *cobra.Command, groups templates.CommandGroups) {
	groups.Add(root)
	templates.ActsAsRootCommand(root, []string{"help"}, groups...)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp(root))
	for _, c := range append(root.Commands(), root) {
		c.DisableFlagsInUseLine = true // the templates write [options]
		c.Long = joinParagraphs(c.Long)
	}
	render := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		var text strings.Builder
		c.SetOut(&text)
		render(c, args)
		c.SetOut(p.Streams.Out)
		fmt.Fprint(p.Streams.Out, wrapHelp(text.String()))
	})
}

// newOptions is kubectl's command for the flags that all commands have.
func (p Program) newOptions() *cobra.Command {
	c := &cobra.Command{
		Use:   "options",
		Short: "Print the list of flags inherited by all commands",
		Args:  noArgs,
		Run:   func(c *cobra.Command, _ []string) { fmt.Fprint(p.Streams.Out, wrapHelp(c.UsageString())) },
	}
	templates.UseOptionsTemplates(c)
	c.SetHelpFunc(c.Run)
	return c
}

// newHelp is cobra's help command, which refuses a command that does not exist.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Print the help of a command",
		RunE: func(c *cobra.Command, args []string) error {
			topic, rest, err := root.Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return fmt.Errorf("unknown help topic %q%s; see %s --help", strings.Join(args, " "), didYouMean(commandsLike(topic, rest[0])), root.CommandPath())
			}
			return topic.Help()
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, c := range root.Commands() {
				if c.IsAvailableCommand() && len(args) == 0 {
					names = append(names, c.Name())
				}
			}
			return withPrefix(word, names), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// helpWidth is how wide help is: it is read beside other things, and pasted.
const helpWidth = 80

// flagIndent is how far the description of a flag is indented, for which the templates write a tab.
const flagIndent = "        "

// wrapHelp breaks the long lines of a help text. Lines that are indented are commands, and stay as they are.
func wrapHelp(text string) string {
	// The templates know the program by its file name here.
	text = strings.ReplaceAll(text, `Use "kubectl-finalizers `, `Use "kubectl finalizers `)
	var out []string
	var flag []string // the description of a flag, which the templates may have broken for another width
	for _, line := range strings.Split(text, "\n") {
		if description, ok := strings.CutPrefix(line, "\t"); ok {
			flag = append(flag, description)
			continue
		}
		if len(flag) > 0 {
			for _, part := range wrapLine(strings.Join(flag, " "), helpWidth-len(flagIndent)) {
				out = append(out, flagIndent+part)
			}
			flag = nil
		}
		if strings.HasPrefix(line, " ") {
			out = append(out, line)
		} else {
			out = append(out, wrapLine(line, helpWidth)...)
		}
	}
	return strings.Join(out, "\n")
}

func wrapLine(line string, width int) []string {
	var b strings.Builder
	fmt.Fprint(term.NewWordWrapWriter(&b, uint(width)), line)
	return strings.Split(b.String(), "\n")
}

// joinParagraphs makes one line of each paragraph, so that it can be wrapped.
func joinParagraphs(text string) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, paragraph := range paragraphs {
		if !strings.Contains(paragraph, "\n ") {
			paragraphs[i] = strings.ReplaceAll(paragraph, "\n", " ")
		}
	}
	return strings.Join(paragraphs, "\n\n")
}
