package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// kubeContext is a context of a kubeconfig.
type kubeContext struct {
	// name is that of the context, behind its file where another file has a context of that name.
	name    string
	context string
	// file is the one of a folder that has the context, empty for kubectl's own kubeconfig.
	file string
	// flags select the context; nil where the file could not be read, for which err is the reason.
	flags *genericclioptions.ConfigFlags
	err   error
}

// arguments are the flags of kubectl that select the context.
func (c kubeContext) arguments() string {
	if c.file == "" {
		return stuck.Shellf("--context=%s", c.context)
	}
	return stuck.Shellf("--kubeconfig=%s --context=%s", c.file, c.context)
}

// loadContexts are the contexts of the kubeconfig, or of all files in a folder, sorted by name. The
// files of a folder are not merged: a tool that creates clusters calls all of them by one name.
func loadContexts(flags *genericclioptions.ConfigFlags) ([]kubeContext, error) {
	folder := *flags.KubeConfig
	if !isFolder(folder) {
		config, err := flags.ToRawKubeConfigLoader().RawConfig()
		switch {
		case err != nil:
			return nil, configError(err)
		case len(config.Contexts) == 0 && len(config.Clusters) == 0:
			return nil, errNoCluster
		case len(config.Contexts) == 0:
			return nil, errors.New("reading the kubeconfig: it has no context; check --kubeconfig")
		}
		var out []kubeContext
		for _, name := range slices.Sorted(maps.Keys(config.Contexts)) {
			out = append(out, newKubeContext(flags, "", name))
		}
		return out, nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, configError(err)
	}
	var out []kubeContext
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		if info, err := os.Stat(path); !strings.HasPrefix(entry.Name(), ".") && (err != nil || info.Mode().IsRegular()) {
			out = append(out, fileContexts(flags, path)...)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("reading the kubeconfig: no file in the folder %s; check --kubeconfig", folder)
	}
	return named(out), nil
}

// newKubeContext has the flags that do not select a cluster.
func newKubeContext(flags *genericclioptions.ConfigFlags, file, name string) kubeContext {
	c := kubeContext{name: name, context: name, file: file}
	if name == "" { // which would select the current context
		c.name, c.err = `""`, errors.New("a context without a name cannot be selected")
		return c
	}
	c.flags = genericclioptions.NewConfigFlags(true).WithWrapConfigFn(flags.WrapConfigFn)
	c.flags.Context = &name
	c.flags.KubeConfig, c.flags.Namespace, c.flags.Timeout, c.flags.CacheDir = flags.KubeConfig, flags.Namespace, flags.Timeout, flags.CacheDir
	c.flags.Impersonate, c.flags.ImpersonateUID, c.flags.ImpersonateGroup = flags.Impersonate, flags.ImpersonateUID, flags.ImpersonateGroup
	c.flags.ImpersonateUserExtra, c.flags.DisableCompression = flags.ImpersonateUserExtra, flags.DisableCompression
	if file != "" {
		c.flags.KubeConfig = &file
	}
	return c
}

// fileContexts are the contexts of a file in a folder.
func fileContexts(flags *genericclioptions.ConfigFlags, path string) []kubeContext {
	config, err := clientcmd.LoadFromFile(path)
	switch {
	case err != nil:
		err = fmt.Errorf("reading %s: %w", path, kubeconfigError(err))
	case len(config.Contexts) == 0:
		err = fmt.Errorf("%s has no context", path)
	}
	if err != nil {
		return []kubeContext{{name: filepath.Base(path), file: path, err: err}}
	}
	var out []kubeContext
	for _, name := range slices.Sorted(maps.Keys(config.Contexts)) {
		out = append(out, newKubeContext(flags, path, name))
	}
	return out
}

// kubeconfigError is the error of a file that could not be read. Of other content it keeps only what is wrong
// with the YAML: the rest is about Go types.
func kubeconfigError(err error) error {
	var file *fs.PathError
	if errors.As(err, &file) {
		return file.Err
	}
	if _, line, found := strings.Cut(err.Error(), "yaml: "); found {
		return fmt.Errorf("not a kubeconfig: %s", line)
	}
	return errors.New("not a kubeconfig")
}

// named gives each context a name that no other has, and sorts by it.
func named(contexts []kubeContext) []kubeContext {
	counts := map[string]int{}
	for _, c := range contexts {
		counts[c.name]++
	}
	for i, c := range contexts {
		if counts[c.name] > 1 {
			contexts[i].name = filepath.Base(c.file) + "/" + c.name
		}
	}
	slices.SortStableFunc(contexts, func(a, b kubeContext) int { return strings.Compare(a.name, b.name) })
	return contexts
}

// selectContexts are the contexts that were named, in that order.
func selectContexts(contexts []kubeContext, names []string) ([]kubeContext, error) {
	var out []kubeContext
	for _, name := range names {
		found := false
		for _, c := range contexts {
			if c.flags == nil || name != c.name && name != c.context {
				continue
			}
			found = true
			if !slices.ContainsFunc(out, func(known kubeContext) bool { return known.name == c.name }) {
				out = append(out, c)
			}
		}
		if found {
			continue
		}
		for _, c := range contexts {
			if c.err != nil {
				return nil, fmt.Errorf("reading --contexts: no context %q was found, and not every file could be read: %w", name, c.err)
			}
		}
		return nil, fmt.Errorf("reading --contexts: the kubeconfig has no context %q%s; kubectl config get-contexts lists them", name, didYouMean(namesLike(name, contextNames(contexts))))
	}
	return out, nil
}

func contextNames(contexts []kubeContext) []string {
	var out []string
	for _, c := range contexts {
		if c.flags != nil {
			out = append(out, c.name)
		}
	}
	return out
}

// completeContexts completes the last of some names that are separated by commas.
func completeContexts(flags *genericclioptions.ConfigFlags) completeFunc {
	return func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		contexts, err := loadContexts(flags)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		before := word[:strings.LastIndex(word, ",")+1]
		var out []string
		for _, name := range contextNames(contexts) {
			if isPlainWord(name) && !strings.Contains(name, ",") && !slices.Contains(strings.Split(before, ","), name) {
				out = append(out, before+name)
			}
		}
		return withPrefix(word, out), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return path != "" && err == nil && info.IsDir()
}
