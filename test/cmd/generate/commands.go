package main

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cmd"
)

// commandPage writes docs/commands.md from what each command says of itself.
func commandPage(b *bytes.Buffer) error {
	fmt.Fprint(b, "# The commands\n\nGenerated from `--help`. The last section, `options`, has the flags that every command takes.\n")
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

// command is a line of the program's help that names a command.
var command = regexp.MustCompile(`(?m)^  ([a-z-]+) {3,}\S`)

// commandNames are the commands that the program says it has.
func commandNames() ([]string, error) {
	help, err := helpOf()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, match := range command.FindAllStringSubmatch(help, -1) {
		names = append(names, match[1])
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("--help names no commands:\n%s", help)
	}
	return names, nil
}

// helpOf is the help of a command, or of the program, less the hint at the flags that all commands share.
func helpOf(command ...string) (string, error) {
	streams, _, out, errOut := genericiooptions.NewTestIOStreams()
	if code := cmd.New(streams, time.Now).Run(context.Background(), append(command, "--help")); code != 0 {
		return "", fmt.Errorf("%v --help ended with %d: %s", command, code, errOut)
	}
	help, _, _ := strings.Cut(out.String(), "\nUse \"kubectl finalizers ")
	return strings.TrimSpace(help), nil
}
