// Command inspect is oc adm inspect alone: the whole of oc needs far more.
package main

import (
	"os"

	"github.com/openshift/oc/pkg/cli/admin/inspect"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

func main() {
	streams := genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}
	if inspect.NewCmdInspect(streams).Execute() != nil {
		os.Exit(1)
	}
}
