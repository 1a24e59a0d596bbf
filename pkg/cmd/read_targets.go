package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/cli-runtime/pkg/resource"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// foundTargets are the objects that a command line names, and what could not be read of it.
type foundTargets struct {
	objects []stuck.Object
	failed  []error
	// several says that the command line names more than one object, or a selection.
	several bool
}

func (f *foundTargets) add(ignoreNotFound bool, object stuck.Object, err error) {
	var missing notFoundError
	switch {
	case err == nil:
		f.objects = append(f.objects, object)
	case ignoreNotFound && errors.As(err, &missing):
	default:
		f.failed = append(f.failed, err)
	}
}

// readTargets reads the objects that the arguments, the selector or the files name.
func (o *explainOptions) readTargets(ctx context.Context, view *cluster.View, served servedTypes) (foundTargets, error) {
	if len(o.files.Filenames) > 0 || o.files.Kustomize != "" {
		return o.readFiles(ctx, view, served)
	}
	targets, err := parseTargets(served, o.args)
	if err != nil {
		return foundTargets{}, err
	}
	found := foundTargets{several: len(targets) != 1 || targets[0].Name == ""}
	for _, t := range targets {
		switch {
		case t.Name != "" && o.selector != "":
			return foundTargets{}, fmt.Errorf("%q names an object, and -l selects by labels: use one of them", t.Name)
		case t.Name != "" && o.allNamespaces:
			return foundTargets{}, fmt.Errorf("%q names an object, which -A does not: leave out -A, and name the namespace with -n", t.Name)
		case t.Name != "":
			object, err := readTarget(ctx, o.source, view, t, o.namespace)
			found.add(o.ignoreNotFound, object, err)
			continue
		}
		survey, err := o.selectObjects(ctx, view, t.Type)
		if err != nil {
			return foundTargets{}, err
		}
		view.AddGaps(survey.Gaps...)
		for _, failure := range survey.Failed {
			found.failed = append(found.failed, fmt.Errorf("listing %s: %w", failure.Type, failure.Err))
		}
		found.objects = append(found.objects, survey.Objects...)
	}
	found.objects = deduplicate(found.objects)
	return found, nil
}

// selectObjects reads all objects of a type, or those with some labels.
func (o *explainOptions) selectObjects(ctx context.Context, view *cluster.View, t stuck.Type) (cluster.Survey, error) {
	survey, err := cluster.SurveyRequest{
		Types:     []stuck.Type{t},
		Selection: cluster.Selection{Namespace: o.namespace, Labels: o.selector},
		Keep:      func(stuck.Object) bool { return true },
	}.Run(ctx, o.source)
	for i, object := range survey.Objects {
		survey.Objects[i].NamespaceMissing = object.Deleting() && object.Namespace != "" && view.Namespace(object.Namespace).Absent()
	}
	return survey, err
}

// readFiles reads the objects that manifests name. Nothing else in them matters.
func (o *explainOptions) readFiles(ctx context.Context, view *cluster.View, served servedTypes) (foundTargets, error) {
	infos, err := o.manifests()
	if err != nil {
		return foundTargets{}, fmt.Errorf("reading the manifests: %w", err)
	}
	found := foundTargets{several: len(infos) != 1}
	for _, info := range infos {
		kind := info.Object.GetObjectKind().GroupVersionKind().GroupKind()
		i := slices.IndexFunc(served.types, func(t stuck.Type) bool { return t.GroupKind() == kind })
		if i < 0 {
			found.failed = append(found.failed, fmt.Errorf("%s: the server has no kind %s", info.Source, kind))
			continue
		}
		if err := checkName(info.Name); err != nil {
			found.failed = append(found.failed, fmt.Errorf("%s: %w", info.Source, err))
			continue
		}
		namespace := info.Namespace
		if namespace == "" {
			namespace = o.namespace
		}
		object, err := readTarget(ctx, o.source, view, target{Type: served.types[i], qualified: true, Name: info.Name}, namespace)
		found.add(o.ignoreNotFound, object, err)
	}
	found.objects = deduplicate(found.objects)
	return found, nil
}

// manifests reads files, folders and standard input as kubectl does.
func (o *explainOptions) manifests() ([]*resource.Info, error) {
	builder := resource.NewLocalBuilder().Unstructured().Local()
	files := o.files
	files.Filenames = slices.DeleteFunc(slices.Clone(files.Filenames), func(name string) bool { return name == "-" })
	if len(files.Filenames) < len(o.files.Filenames) {
		builder = builder.Stream(o.program.Streams.In, "standard input")
	}
	return builder.FilenameParam(false, &files).Flatten().Do().Infos()
}
