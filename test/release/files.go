package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cmd"
)

// completer is what kubectl asks to complete "kubectl finalizers", by its name.
const completer = "#!/bin/sh\nexec kubectl-finalizers __complete \"$@\"\n"

// writeFiles writes what is the same in all archives: completions/, man/ and THIRD_PARTY_LICENSES.
func writeFiles(ctx context.Context, folder string) error {
	date, err := commitDate(ctx)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(folder); err != nil {
		return fmt.Errorf("removing the files of an earlier run: %w", err)
	}
	streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: io.Discard, ErrOut: io.Discard}
	tree := cmd.New(streams, func() time.Time { return date }).CommandTree()
	for _, write := range []func() error{
		func() error { return writeManPages(tree, date, filepath.Join(folder, "man")) },
		func() error { return writeCompletions(tree, filepath.Join(folder, "completions")) },
		func() error { return writeNotices(ctx, filepath.Join(folder, "THIRD_PARTY_LICENSES")) },
	} {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

func writeManPages(tree *cobra.Command, date time.Time, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("making the folder of man pages: %w", err)
	}
	// Without the tag, a page has no other date than that of the commit: each build has the same bytes.
	tree.DisableAutoGenTag = true
	header := doc.GenManHeader{Section: "1", Date: &date, Source: "kubectl-finalizers", Manual: "kubectl plugins"}
	if err := doc.GenManTree(tree, &header, folder); err != nil {
		return fmt.Errorf("writing man pages: %w", err)
	}
	return nil
}

func writeCompletions(tree *cobra.Command, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("making the folder of completion scripts: %w", err)
	}
	for name, write := range map[string]func(io.Writer) error{
		"kubectl-finalizers.bash": func(w io.Writer) error { return tree.GenBashCompletionV2(w, true) },
		"_kubectl-finalizers":     tree.GenZshCompletion,
		"kubectl-finalizers.fish": func(w io.Writer) error { return tree.GenFishCompletion(w, true) },
		"kubectl-finalizers.ps1":  tree.GenPowerShellCompletionWithDesc,
	} {
		var script bytes.Buffer
		if err := write(&script); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), script.Bytes(), 0o644); err != nil {
			return fmt.Errorf("writing a completion script: %w", err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "kubectl_complete-finalizers"), []byte(completer), 0o755); err != nil {
		return fmt.Errorf("writing the completer of kubectl: %w", err)
	}
	return nil
}

// commitDate is the date of the commit that is built. It stands for the present, so that a build can be repeated.
func commitDate(ctx context.Context) (time.Time, error) {
	command := exec.CommandContext(ctx, "git", "log", "-1", "--format=%ct")
	command.Dir = repository()
	output, err := command.Output()
	if err != nil {
		return time.Time{}, fmt.Errorf("reading the date of the commit: %w", err)
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(string(output)), 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("reading the date of the commit: %w", err)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// repository is the root of the repository in which this program was built.
func repository() string {
	_, self, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(self), "..", "..")
}
