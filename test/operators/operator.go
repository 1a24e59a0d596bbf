// Package operators plays real operators: programs that others wrote, built from their Go modules and run against the embedded
// control plane with the rights of their ServiceAccount. What explain says of the objects that they leave stuck is compared with
// golden files.
//
// Each operator is a folder with a module that pins it, operator.yaml and a folder for each story. It takes long to build them all,
// so they are played by make operators only.
package operators

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/story"
)

// Operator is one program and how it is installed.
type Operator struct {
	// Program is the package that is built.
	Program string `json:"program"`
	// Args are the arguments of the program. KUBECONFIG stands for the kubeconfig of its ServiceAccount, CERTIFICATES for a folder
	// with tls.crt and tls.key, PORT for a free port.
	Args []string `json:"args"`
	// Env are variables of the program's environment, as NAME=VALUE.
	Env []string `json:"env"`
	// Namespace and ServiceAccount are what its Pods run as: the program runs while one of them does.
	Namespace      string `json:"namespace"`
	ServiceAccount string `json:"serviceAccount"`
	// Modules are those whose manifests are installed, by the variable in which steps find the module's folder.
	Modules map[string]string `json:"modules"`
	// Install are the steps that come before those of each story.
	Install []string `json:"install"`

	// Dir is the operator's folder.
	Dir string `json:"-"`
}

// Load reads the operator of a folder.
func Load(dir string) (Operator, error) {
	o := Operator{}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return o, fmt.Errorf("finding the operator: %w", err)
	}
	content, err := os.ReadFile(filepath.Join(dir, "operator.yaml"))
	if err != nil {
		return o, fmt.Errorf("reading the operator: %w", err)
	}
	if err := yaml.UnmarshalStrict(content, &o); err != nil {
		return o, fmt.Errorf("reading the operator %s: %w", filepath.Base(dir), err)
	}
	if o.Program == "" || o.Namespace == "" || o.ServiceAccount == "" {
		return o, fmt.Errorf("reading the operator %s: it needs a program, a namespace and a serviceAccount", filepath.Base(dir))
	}
	o.Dir = dir
	return o, nil
}

// Name is the name of the operator's folder.
func (o Operator) Name() string { return filepath.Base(o.Dir) }

// Stories are the operator's stories, each with the steps that install it.
func (o Operator) Stories() ([]story.Story, error) {
	stories, err := story.All(o.Dir)
	for i := range stories {
		stories[i].Steps = append(o.Install[:len(o.Install):len(o.Install)], stories[i].Steps...)
	}
	return stories, err
}

// Build builds the program, unless it is there and up to date, and names it. One package is compiled at a time, as some of them need
// more than a gigabyte of memory.
func (o Operator) Build(ctx context.Context) (program string, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding the cache: %w", err)
	}
	program = filepath.Join(cache, "kubectl-finalizers", "operators", o.Name())
	if err := os.MkdirAll(filepath.Dir(program), 0o750); err != nil {
		return "", fmt.Errorf("making a place for the operators: %w", err)
	}
	if _, err := o.goTool(ctx, "build", "-p", "1", "-ldflags", "-s -w", "-o", program, o.Program); err != nil {
		return "", fmt.Errorf("building %s: %w", o.Name(), err)
	}
	return program, nil
}

// ModuleDirs are the folders of the operator's modules, as an environment for its steps.
func (o Operator) ModuleDirs(ctx context.Context) ([]string, error) {
	environment := []string{}
	for variable, module := range o.Modules {
		dir, err := o.goTool(ctx, "list", "-m", "-f", "{{.Dir}}", module)
		if err == nil && strings.TrimSpace(dir) == "" {
			_, err = o.goTool(ctx, "mod", "download", module)
			if err == nil {
				dir, err = o.goTool(ctx, "list", "-m", "-f", "{{.Dir}}", module)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("finding the manifests of %s: %w", o.Name(), err)
		}
		environment = append(environment, variable+"="+strings.TrimSpace(dir))
	}
	return environment, nil
}

// goTool runs the go command in the operator's module.
func (o Operator) goTool(ctx context.Context, args ...string) (string, error) {
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir = o.Dir
	command.Env = append(os.Environ(), "GOWORK=off")
	output, err := command.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, failed.Stderr)
	}
	return string(output), err
}
