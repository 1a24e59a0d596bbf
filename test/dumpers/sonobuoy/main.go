// Command sonobuoy queries a cluster as the aggregator of sonobuoy does, and writes its configuration beside that. Of
// the program itself, "sonobuoy query" takes no configuration.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/vmware-tanzu/sonobuoy/pkg/config"
	"github.com/vmware-tanzu/sonobuoy/pkg/discovery"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: sonobuoy FOLDER NAMESPACE,... RESOURCE,...")
		os.Exit(1)
	}
	if err := run(os.Args[1], strings.Split(os.Args[2], ","), strings.Split(os.Args[3], ",")); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(folder string, namespaces, resources []string) error {
	rest, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	c := config.New()
	c.QueryDir, c.Resources, c.Filters.Namespaces = folder, resources, "^("+strings.Join(namespaces, "|")+")$"
	if err := discovery.QueryCluster(rest, c); err != nil {
		return err
	}
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, discovery.MetaLocation, "config.json"), text, 0o600)
}
