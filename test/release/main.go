// Release writes what a release contains beside the programs: man pages, completion scripts, the licenses of all
// dependencies, a list of the content of each program in SPDX, and the container image.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
)

const usage = `usage:
  release files FOLDER           man pages, completion scripts and licenses, for all archives
  release sbom PROGRAM DOCUMENT  the SPDX document of a program
  release image LAYOUT PROGRAM.. the image of programs for Linux, as an OCI layout
  release push LAYOUT ADDRESS    copy the image to a registry, and print its digest`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) < 2 {
		return errors.New(usage)
	}
	switch command, rest := args[0], args[1:]; {
	case command == "files" && len(rest) == 1:
		return writeFiles(ctx, rest[0])
	case command == "sbom" && len(rest) == 2:
		return writeSBOM(rest[0], rest[1])
	case command == "image" && len(rest) > 1:
		return writeImage(rest[0], rest[1:])
	case command == "push" && len(rest) == 2:
		return push(ctx, rest[0], rest[1], os.Stdout)
	}
	return errors.New(usage)
}
