package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
)

// isReport reports whether a format is one for pipelines and tickets.
func isReport(format string) bool { return slices.Contains(report.ReportFormats, format) }

// printReport prints a report. In GitHub Actions the summary of the step gets it too, as Markdown.
func printReport(out io.Writer, format string, r report.Report) error {
	if err := report.WriteReport(out, format, r); err != nil {
		return err
	}
	summary := os.Getenv("GITHUB_STEP_SUMMARY")
	if format != "github" || summary == "" {
		return nil
	}
	if err := appendSummary(summary, r); err != nil {
		return fmt.Errorf("writing the summary of the step (GITHUB_STEP_SUMMARY): %w", err)
	}
	return nil
}

func appendSummary(path string, r report.Report) (err error) {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return report.Markdown(report.EscapeWriter(file), r)
}

// outputFileFlag is the flag of commands that can print to a file.
type outputFileFlag struct{ path string }

func (f *outputFileFlag) addTo(c *cobra.Command) {
	c.Flags().StringVar(&f.path, "output-file", "", "Write the output to this file instead of standard output. The file is replaced when the output is complete.")
}

// redirect makes the output of a program go to the file, which finish writes.
func (f outputFileFlag) redirect(p *Program) (finish func() error) {
	if f.path == "" {
		return func() error { return nil }
	}
	var whole bytes.Buffer
	p.Streams.Out, p.width = report.EscapeWriter(&whole), 0
	return func() error {
		if err := replaceFile(f.path, whole.Bytes()); err != nil {
			return fmt.Errorf("writing --output-file: %w", err)
		}
		return nil
	}
}

// withOutputFile writes the file after a command that has printed all of its output, whatever
// code it ends with.
func withOutputFile(err error, finish func() error) error {
	var code exit
	if err != nil && !errors.As(err, &code) {
		return err
	}
	if lost := finish(); lost != nil {
		return lost
	}
	return err
}

// replaceFile puts new content in the place of a file at once: whoever reads it has the old
// content or the new. Others may read it, as the program that collects metrics does.
func replaceFile(path string, content []byte) (err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", path)
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	_, err = file.Write(content)
	if err = errors.Join(err, file.Chmod(0o644), file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
