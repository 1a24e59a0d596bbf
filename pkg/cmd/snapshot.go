package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/snapshot"
)

type snapshotFlags struct {
	allNamespaces   bool
	file            string
	configMapValues bool
	redact          bool
	probe           bool
	fleet           fleetFlags
}

func (p Program) newSnapshot(flags *genericclioptions.ConfigFlags) *cobra.Command {
	var f snapshotFlags
	c := &cobra.Command{
		Use:   "snapshot",
		Short: "Write what list and explain read into an archive",
		Long: `Write what list and explain read into an archive, from which they say the same without the cluster: list --from FILE,
explain --from FILE. It holds the metadata of the objects in the namespace, or with -A of all objects, those of built-in
types whole, and the answers of the API server to access reviews and dry runs. The archive has the layout of
crust-gather.

It never holds the contents of Secrets, nor the annotation of kubectl apply, nor the values of ConfigMaps unless
--configmap-values is set. The specs of Pods are in it, with the values of their environment.

With --redact, pseudonyms stand for the names of namespaces and objects, word by word, wherever they occur: web-0 still
belongs to web, and objects keep their order. The pseudonyms are drawn at random for each archive, so that they are the same
in all of one archive, and not in another. What explanations need stays: names of Kubernetes itself and of the projects in
the catalog, API groups, types, CRDs, drivers, finalizers and the domains of labels. Images, addresses, uids and the values of
the environment are not changed, but for names in them. Certificates, and names of people in errors, are not changed. Look
into an archive before you send it.

Of several clusters it writes an archive each, into a new folder (-o, by default finalizers-snapshots).`,
		Example: `  # Write a snapshot of the cluster, for a ticket
  kubectl finalizers snapshot -A

  # Explain a namespace from a snapshot
  kubectl finalizers explain ns/shop --from finalizers-snapshot.tar.gz

  # Write a snapshot with pseudonyms in place of names
  kubectl finalizers snapshot -A --redact

  # Write a snapshot of each cluster into a folder
  kubectl finalizers snapshot -A --all-contexts -o snapshots`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.fleet.used(flags) {
				return f.runFleet(c, p, flags)
			}
			o, err := f.options(p, flags)
			if err != nil {
				return err
			}
			return o.Run(c.Context())
		},
	}
	f.addTo(c, flags)
	return c
}

func (f *snapshotFlags) addTo(c *cobra.Command, flags *genericclioptions.ConfigFlags) {
	c.Flags().BoolVarP(&f.allNamespaces, "all-namespaces", "A", false, "Include the objects in all namespaces and those without a namespace.")
	c.Flags().StringVarP(&f.file, "output", "o", "finalizers-snapshot.tar.gz", "The archive to write, or - for standard output. An existing file is not replaced.")
	c.Flags().BoolVar(&f.configMapValues, "configmap-values", false, "Include the values of the ConfigMaps that were read whole.")
	c.Flags().BoolVar(&f.redact, "redact", false, "Replace the names of namespaces and objects by pseudonyms.")
	addProbe(c, &f.probe)
	f.fleet.addTo(c, flags)
}

// snapshotOptions is a snapshot command that is ready to run.
type snapshotOptions struct {
	snapshotFlags
	program   Program
	flags     *genericclioptions.ConfigFlags
	source    cluster.Source
	namespace string // empty means all
}

func (f snapshotFlags) options(p Program, flags *genericclioptions.ConfigFlags) (*snapshotOptions, error) {
	if f.file == "" {
		return nil, errors.New("-o must name a file, or - for standard output")
	}
	if _, err := os.Lstat(f.file); err == nil {
		return nil, fmt.Errorf("%s exists and is not replaced: choose another file with -o", f.file)
	}
	o := &snapshotOptions{snapshotFlags: f, program: p, flags: flags}
	var err error
	if o.source, o.namespace, err = p.openSource(flags); f.allNamespaces {
		o.namespace = ""
	}
	return o, err
}

// Run lists and explains what is stuck, and writes all answers.
func (o *snapshotOptions) Run(ctx context.Context) error {
	recorder := snapshot.NewRecorder(o.source)
	document, err := o.run(ctx, recorder, Program.newList, o.namespace, "-o", "json", fmt.Sprintf("--all-namespaces=%t", o.namespace == ""))
	if err != nil {
		return err
	}
	unexplained, err := o.explainEach(ctx, recorder, document)
	if err != nil {
		return err
	}
	if err := recorder.ReadWhole(ctx, o.namespace); err != nil {
		return err
	}
	options := snapshot.Options{ConfigMapValues: o.configMapValues}
	if o.redact {
		known, err := o.program.Catalog()
		if err != nil {
			return err
		}
		if options.Redaction, err = recorder.NewRedaction(known); err != nil {
			return err
		}
	}
	summary, err := o.write(recorder, options)
	if err != nil {
		return fmt.Errorf("writing the snapshot: %w", err)
	}
	o.printSummary(summary, unexplained)
	return nil
}

// run runs a command on the recorder, and returns what it prints.
func (o *snapshotOptions) run(
	ctx context.Context, recorder *snapshot.Recorder, command func(Program, *genericclioptions.ConfigFlags) *cobra.Command, namespace string, args ...string,
) (string, error) {
	var out, errOut strings.Builder
	p := o.program
	p.Streams = genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &errOut}
	p.Connect = func(*genericclioptions.ConfigFlags) (cluster.Source, error) { return recorder, nil }
	flags := genericclioptions.NewConfigFlags(false)
	flags.KubeConfig, flags.Context, flags.Namespace = o.flags.KubeConfig, o.flags.Context, &namespace
	c := command(p, flags)
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(append(args, fmt.Sprintf("--probe=%t", o.probe)))
	err := c.ExecuteContext(ctx)
	if errors.Is(err, exitFailed) { // it printed why
		err = errors.New(strings.TrimPrefix(strings.TrimSpace(errOut.String()), "error: "))
	}
	return out.String(), err
}

// write writes the archive. A file that is not complete is removed.
func (o *snapshotOptions) write(recorder *snapshot.Recorder, options snapshot.Options) (summary snapshot.Summary, err error) {
	folder, _, _ := strings.Cut(filepath.Base(o.file), ".tar")
	if o.file == "-" || o.redact { // the file may be called after the cluster
		folder = "finalizers-snapshot"
	}
	if o.file == "-" {
		return recorder.Write(o.program.Streams.Out, folder, options)
	}
	f, err := os.OpenFile(o.file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return summary, err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = errors.Join(err, os.Remove(o.file))
		}
	}()
	return recorder.Write(f, folder, options)
}

func (o *snapshotOptions) printSummary(s snapshot.Summary, unexplained unexplained) {
	out := o.program.Streams.ErrOut
	fmt.Fprintf(out, "wrote %s: %d objects, %d of them whole\n", o.file, s.Objects, s.Whole)
	if o.configMapValues {
		fmt.Fprintln(out, "left out: the contents of Secrets")
	} else {
		fmt.Fprintln(out, "left out: the contents of Secrets, the values of ConfigMaps (--configmap-values includes them)")
	}
	if o.redact {
		fmt.Fprintln(out, "redacted: the names of namespaces and objects; images, addresses, certificates and the environment of Pods are not")
	}
	if s.Failed > 0 {
		fmt.Fprintf(out, "%d reads failed: the snapshot has their errors\n", s.Failed)
	}
	if unexplained.left > 0 {
		fmt.Fprintf(out, "%s listed, and not explained one by one: what only explain reads of them is not in the snapshot\n",
			report.CountVerb(unexplained.left, "stuck object", "was", "were"))
	}
	if unexplained.failed > 0 {
		fmt.Fprintf(out, "%s listed, and could not be explained: %v\n", report.CountVerb(unexplained.failed, "stuck object", "was", "were"), unexplained.err)
	}
}
