package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cmd"
)

// commandPage writes docs/commands.md from what each command says of itself.
func commandPage(b *bytes.Buffer) error {
	fmt.Fprint(b, "# The commands\n\nGenerated from `--help`. kubectl's connection flags (`kubectl options`) go with every command,\n"+
		"and `--catalog FILE` does, which adds finalizers of your own: see `catalog`.\n")
	names, err := commandNames()
	if err != nil {
		return err
	}
	for _, name := range names {
		help, err := helpOf(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "\n## kubectl finalizers %s\n\n```\n%s\n```\n", name, help)
	}
	return nil
}

// commandNames are the commands that the program says it has, less those that cobra adds.
func commandNames() ([]string, error) {
	help, err := helpOf()
	if err != nil {
		return nil, err
	}
	_, rest, _ := strings.Cut(help, "\nAvailable Commands:\n")
	block, _, found := strings.Cut(rest, "\n\n")
	if !found {
		return nil, fmt.Errorf("--help names no commands:\n%s", help)
	}
	var names []string
	for line := range strings.Lines(block) {
		if name := strings.Fields(line)[0]; name != "completion" && name != "help" {
			names = append(names, name)
		}
	}
	return names, nil
}

// helpOf is the help of a command, or of the program, less the flags that all commands share.
func helpOf(command ...string) (string, error) {
	streams, _, out, errOut := genericiooptions.NewTestIOStreams()
	if code := cmd.New(streams, time.Now).Run(context.Background(), append(command, "--help")); code != 0 {
		return "", fmt.Errorf("%v --help ended with %d: %s", command, code, errOut)
	}
	help, _, _ := strings.Cut(out.String(), "\nGlobal Flags:")
	return strings.TrimSpace(help), nil
}
