// Command demo starts a control plane that holds objects stuck in Terminating, shows what kubectl finalizers says of
// them, and leaves it running for the user to go on by hand.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	dir, err := stateDir()
	if err != nil {
		return err
	}
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	plugin := flags.String("plugin", "../bin/kubectl-finalizers", "the plugin to show")
	scenarios := flags.String("scenarios", "../testdata/scenarios", "the folder of the stories to play")
	if len(args) == 0 {
		return errors.New("say what to do: demo up, or demo down")
	}
	if err := flags.Parse(args[1:]); err != nil {
		return fmt.Errorf("reading the flags: %w", err)
	}
	switch args[0] {
	case "up":
		demo := demo{out: os.Stdout, dir: dir, plugin: *plugin, scenarios: *scenarios}
		return demo.up(ctx)
	case "down":
		if err := plane.Down(dir); err != nil {
			return err
		}
		fmt.Println("The demo is stopped and its files are removed.")
		return nil
	}
	return fmt.Errorf("there is no %q: say demo up, or demo down", args[0])
}

// stateDir is where the demo's control plane lives: always the same place, so that it is found again.
func stateDir() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); dir != "" {
		return filepath.Join(dir, "kubectl-finalizers", "demo"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("finding a place for the demo: %w", err)
	}
	return filepath.Join(home, ".local", "state", "kubectl-finalizers", "demo"), nil
}
