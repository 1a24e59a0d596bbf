package e2e

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// fleetScene has one stuck object.
const fleetScene = `
kubectl create namespace fleet-listed
printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"held","namespace":"fleet-listed","finalizers":["one.example.com/hold"]}}' | kubectl create -f -
kubectl -n fleet-listed delete configmap held --wait=false
`

// fleetKubeconfig has contexts of one plane: by two addresses, by one without a certificate authority, with a token
// that is not known, and one at whose address nothing listens.
func fleetKubeconfig(t *testing.T, p *plane.Plane) string {
	t.Helper()
	config, err := clientcmd.LoadFromFile(p.Kubeconfig(plane.Admin))
	if err != nil {
		t.Fatal(err)
	}
	direct := *config.Clusters["plane"]
	byName, insecure, dead := direct, direct, direct
	byName.Server = strings.Replace(direct.Server, "127.0.0.1", "localhost", 1)
	insecure.Server, insecure.CertificateAuthority, insecure.InsecureSkipTLSVerify = byName.Server, "", true
	dead.Server = "https://127.0.0.1:1"
	config.AuthInfos["stranger"] = &api.AuthInfo{Token: "stranger"}
	config.Contexts = map[string]*api.Context{}
	for name, cluster := range map[string]api.Cluster{"a-expired": direct, "direct": direct, "by-name": byName, "insecure": insecure, "dead": dead} {
		config.Clusters[name] = &cluster
		config.Contexts[name] = &api.Context{Cluster: name, AuthInfo: plane.Admin}
	}
	config.Contexts["a-expired"].AuthInfo = "stranger"
	path := filepath.Join(t.TempDir(), "config")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// Contexts of one cluster are read once, with credentials that it accepts, and an address at which nothing listens is a gap.
func TestFleetList(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, fleetScene)
	file := fleetKubeconfig(t, p)
	list := readDocument[report.StuckList](t, p, plane.Admin, "list", "-n", "fleet-listed", "--all-contexts", "--kubeconfig", file)
	var clusters, items []string
	for _, c := range list.Clusters {
		clusters = append(clusters, strings.Join(c.Contexts, "+"))
	}
	for _, i := range list.Items {
		items = append(items, i.Cluster+": "+i.Metadata.Name)
	}
	if got := strings.Join(clusters, " "); got != "direct+a-expired+by-name dead insecure" {
		t.Errorf("the clusters are %s", got)
	}
	if got := strings.Join(items, ", "); got != "direct: held, insecure: held" {
		t.Errorf("the items are %s", got)
	}
	// The plane may have a broken API of another test.
	if !slices.ContainsFunc(list.Gaps, func(g report.Gap) bool { return g.Cluster == "dead" && g.Source == "the cluster" }) {
		t.Errorf("the gaps are %+v", list.Gaps)
	}
	out, errOut, code := kubectl(t, p, plane.Admin, "finalizers", "list", "-n", "fleet-listed", "--contexts", "dead,direct", "--kubeconfig", file, "--exit-code")
	wantWords(t, out, []string{"CLUSTER", "direct", "cm/held"})
	wantWords(t, errOut, []string{"dead: could not be read: cannot reach the API server at https://127.0.0.1:1"})
	if code != 2 {
		t.Errorf("it ended with %d", code)
	}
}

// A health check has a row for each cluster, and a report of each that was read.
func TestFleetHealth(t *testing.T) {
	p := sharedPlane(t)
	file := fleetKubeconfig(t, p)
	args := []string{"health", "namespaces", "--check=list", "--for=3s", "--contexts=by-name,dead,direct", "--kubeconfig", file}
	list := readDocument[report.HealthReportList](t, p, plane.Admin, args...)
	if len(list.Items) != 1 || list.Items[0].Cluster != "by-name" || len(list.Clusters) != 2 || len(list.Gaps) != 1 || list.Gaps[0].Cluster != "dead" {
		t.Errorf("it prints %+v", list)
	}
	out, errOut, code := kubectl(t, p, plane.Admin, append(append([]string{"finalizers"}, args...), "--exit-code", "-o", "wide")...)
	wantWords(t, out, []string{"CLUSTER", "UNREAD", "Cluster by-name"})
	wantWords(t, errOut, []string{"by-name: the same cluster as direct, read once"})
	if code == 0 {
		t.Error("it ended with 0, though one cluster could not be read")
	}
}

// What would get stuck in one of several clusters is predicted beside one that cannot be reached.
func TestFleetPreflight(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, `
kubectl create namespace fleet-later
printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"later","namespace":"fleet-later","finalizers":["one.example.com/hold"]}}' | kubectl create -f -
`)
	file := fleetKubeconfig(t, p)
	args := []string{"preflight", "configmap/later", "-n", "fleet-later", "--contexts=direct,dead,insecure", "--kubeconfig", file}
	list := readDocument[report.PreflightReportList](t, p, plane.Admin, args...)
	if len(list.Items) != 2 || list.Items[1].Cluster != "insecure" || list.Items[1].Items[0].Metadata.Name != "later" || len(list.Gaps) != 1 || list.Gaps[0].Cluster != "dead" {
		t.Errorf("it prints %+v", list)
	}
	out, _, code := kubectl(t, p, plane.Admin, append([]string{"finalizers"}, args...)...)
	wantWords(t, out, []string{"CLUSTER", "OUTCOME", "direct", "dead", "UNREAD", "Add --context=insecure to the commands below.", "one.example.com/hold"})
	if code != 4 && code != 2 { // as a webhook of another test has it
		t.Errorf("it ended with %d", code)
	}
	// Standard input has the manifests for each of them.
	script := filepath.Join(p.Bin(), "kubectl-finalizers") + ` preflight -f - --contexts=direct,insecure -o jsonpath='{.items[*].objects}' --kubeconfig ` + file +
		` <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"later","namespace":"fleet-later"}}'`
	if out, errOut, _ := execute(t, "bash", p.Env(plane.Admin), "-c", script); out != "1 1" {
		t.Errorf("manifests of standard input: %q %s", out, errOut)
	}
}

// Each cluster has an archive of its own, from which list reads.
func TestFleetSnapshot(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, strings.ReplaceAll(fleetScene, "fleet-listed", "fleet-kept"))
	folder := filepath.Join(t.TempDir(), "snapshots")
	args := []string{"finalizers", "snapshot", "-n", "fleet-kept", "--contexts=direct,dead,insecure", "--kubeconfig", fleetKubeconfig(t, p), "-o", folder}
	_, errOut, code := kubectl(t, p, plane.Admin, args...)
	wantWords(t, errOut, []string{"dead: could not be read", "direct: wrote " + filepath.Join(folder, "direct.tar.gz")})
	if code != 4 {
		t.Errorf("it ended with %d: %s", code, errOut)
	}
	for _, name := range []string{"direct", "insecure"} {
		if out, errOut, _ := kubectl(t, p, plane.Admin, "finalizers", "list", "-n", "fleet-kept", "--from", filepath.Join(folder, name+".tar.gz"), "-o", "name"); out != "configmap/held\n" {
			t.Errorf("the archive of %s has %q: %s", name, out, errOut)
		}
	}
	if _, errOut, code := kubectl(t, p, plane.Admin, args...); code != 1 || !strings.Contains(errOut, "exists and is not replaced") {
		t.Errorf("a second run ended with %d: %s", code, errOut)
	}
}

// The archives of redacted snapshots are called after no context, nor is what is in them.
func TestFleetSnapshotRedacted(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, strings.ReplaceAll(fleetScene, "fleet-listed", "fleet-redacted"))
	folder := filepath.Join(t.TempDir(), "snapshots")
	_, errOut, code := kubectl(t, p, plane.Admin,
		"finalizers", "snapshot", "--redact", "-n", "fleet-redacted", "--contexts=direct,insecure", "--kubeconfig", fleetKubeconfig(t, p), "-o", folder)
	if code != 0 {
		t.Fatalf("it ended with %d: %s", code, errOut)
	}
	archives, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(archives) != 2 {
		t.Fatalf("%q: %v", archives, err)
	}
	for _, archive := range archives {
		inside, err := exec.CommandContext(t.Context(), "tar", "-tzf", archive).Output()
		if names := filepath.Base(archive) + "\n" + string(inside); err != nil || regexp.MustCompile("direct|insecure|fleet-redacted").MatchString(names) {
			t.Errorf("%v: the names are\n%s", err, names)
		}
		if out, errOut, _ := kubectl(t, p, plane.Admin, "finalizers", "list", "-A", "--from", archive, "-o", "name"); strings.Count(out, "configmap/") != 1 || strings.Contains(out, "held") {
			t.Errorf("the archive has %q: %s", out, errOut)
		}
	}
}
