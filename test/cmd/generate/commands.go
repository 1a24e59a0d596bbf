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
	for _, name := range []string{"list", "explain", "force-remove", "restore", "catalog", "version"} {
		help, err := helpOf(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "\n## kubectl finalizers %s\n\n```\n%s\n```\n", name, help)
	}
	return nil
}

// helpOf is the help of a command, less the flags that all commands share.
func helpOf(name string) (string, error) {
	streams, _, out, errOut := genericiooptions.NewTestIOStreams()
	if code := cmd.New(streams, time.Now).Run(context.Background(), []string{name, "--help"}); code != 0 {
		return "", fmt.Errorf("%s --help ended with %d: %s", name, code, errOut)
	}
	help, _, _ := strings.Cut(out.String(), "\nGlobal Flags:")
	return strings.TrimSpace(help), nil
}
