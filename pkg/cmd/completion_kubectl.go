package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"
)

// The names by which kubectl finds a plugin, and what completes it
// (https://kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins/#shell-completion-support).
const (
	pluginName     = "kubectl-finalizers"
	completionName = "kubectl_complete-finalizers"
)

// completionScript is what kubectl runs to complete "kubectl finalizers".
const completionScript = "#!/bin/sh\nexec kubectl finalizers __complete \"$@\"\n"

// installCompletion puts the script beside the plugin that kubectl runs.
func (p Program) installCompletion() error {
	if runtime.GOOS == "windows" {
		return errors.New("--install writes a shell script, which Windows does not run: use kubectl-finalizers completion powershell")
	}
	dir, err := pluginFolder()
	if err != nil {
		return err
	}
	path := filepath.Join(dir, completionName)
	switch installed, err := isInstalled(path); {
	case err != nil:
		return err
	case installed:
		fmt.Fprintf(p.Streams.ErrOut, "%s is installed already.\n", path)
		return nil
	}
	if err := createScript(path); err != nil {
		return fmt.Errorf("installing the completion: %w", err)
	}
	fmt.Fprintf(p.Streams.ErrOut, "%s is installed: a shell that completes kubectl completes kubectl finalizers too.\n", path)
	return nil
}

// pluginFolder is where the PATH has this program. The program itself may be elsewhere: Krew
// puts a link to it on the PATH.
func pluginFolder() (string, error) {
	onPath, err := exec.LookPath(pluginName)
	if err != nil {
		return "", fmt.Errorf("%s is not on the PATH, where kubectl looks for the completion too: install it first", pluginName)
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	a, errA := os.Stat(onPath)
	b, errB := os.Stat(self)
	if err := errors.Join(errA, errB); err != nil {
		return "", err
	}
	if !os.SameFile(a, b) {
		return "", fmt.Errorf("the plugin on the PATH is %s, which is not this program (%s): install the completion with that one", onPath, self)
	}
	return filepath.Abs(filepath.Dir(onPath))
}

// isInstalled reports whether a file is the script. One that is something else is not replaced.
func isInstalled(path string) (bool, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	if info.Mode().IsRegular() && info.Size() == int64(len(completionScript)) {
		content, err := os.ReadFile(path)
		if err != nil {
			return false, err
		}
		if bytes.Equal(content, []byte(completionScript)) && info.Mode()&0o111 != 0 {
			return true, nil
		}
	}
	return false, fmt.Errorf("%s exists and is not what this command writes: it stays as it is; remove it to install the completion", path)
}

// createScript writes a file that must not exist.
func createScript(path string) (err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	_, err = file.WriteString(completionScript)
	return errors.Join(err, file.Close())
}

// printKubectlCompletion prints the script, or installs it.
func (p Program) printKubectlCompletion(install bool) error {
	if install {
		return p.installCompletion()
	}
	_, err := fmt.Fprint(p.Streams.Out, completionScript)
	return err
}

// checkInstall refuses to install what a shell reads itself.
func checkInstall(c *cobra.Command, of string) error {
	if c.Flags().Changed("install") && of != completesKubectl {
		return fmt.Errorf("--install is for \"completion %s\": a shell reads its own code, see the examples", completesKubectl)
	}
	return nil
}
