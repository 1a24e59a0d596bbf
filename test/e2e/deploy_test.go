package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

const deployFolder = "../../docs/deploy"

// deployScene has a ConfigMap, a Secret and a Namespace that are stuck, and waits until the roles of docs/deploy have their rules.
const deployScene = `
cd "$DEPLOY"
kubectl apply --validate=strict -f read.yaml -f probe.yaml -f sweep.yaml -f force.yaml -f cronjob-metrics.yaml -f cronjob-report.yaml -f cronjob-sweep.yaml
kubectl create namespace deploy
for name in expired-1 expired-2; do kubectl create namespace $name; kubectl annotate namespace $name janitor/expires=2020-01-31; done
for kind in ConfigMap Secret; do
  printf '{"apiVersion":"v1","kind":"%s","metadata":{"name":"held","namespace":"deploy","finalizers":["deploy.example.com/hold"]}}' "$kind" | kubectl create -f -
done
printf '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"deploy-spec"},"spec":{"finalizers":["deploy.example.com/hold"]}}' | kubectl create -f -
kubectl delete configmap/held secret/held -n deploy --wait=false
kubectl delete namespace deploy-spec --wait=false
may() { until kubectl auth can-i "$2" "$3" -A --as "system:serviceaccount:kubectl-finalizers:$1"; do :; done; }
for account in reader prober sweeper remover; do may $account get secrets; may $account list leases.coordination.k8s.io; done
for account in prober remover; do may $account patch configmaps; may $account patch deployments.apps; done
may sweeper delete namespaces
may sweeper watch leases.coordination.k8s.io
until kubectl auth can-i patch configmap/finalizers-sweep -n kubectl-finalizers --as system:serviceaccount:kubectl-finalizers:sweeper; do :; done
`

// deployUses are what the accounts of docs/deploy are for: commands, with the code that each ends with and a part of what it prints.
var deployUses = map[string][]struct {
	args, want string
	code       int
}{
	"reader": {
		{"list -A --probe=false --exit-code", "secret/held", 2},
		{"explain configmap/held -n deploy --probe=false", "configmap/held -n deploy is ", 0},
		{"list -A --probe=false -o openmetrics", "kubectl_finalizers_unread_sources 1.0", 0}, // the dry run,
	},
	"prober": {
		{"list -A --exit-code", "cm/held", 2},
		{"explain secret/held -n deploy", "secret/held -n deploy is ", 0},
	},
	"sweeper": {
		{"sweep --probe=false", "Nothing is to be deleted; 0 kept.", 0},
	},
	"remover": {
		{"force-remove ns/deploy-spec --override-verdict --accept-leaks --dry-run=server", "accepted by the API server", 0},
		{"force-remove configmap/held secret/held -n deploy --override-verdict --accept-leaks --record-event --yes", "Finalizers removed from 2 of 2 objects", 0},
		{"force-remove ns/deploy-spec --override-verdict --accept-leaks --yes", "namespace/deploy-spec", 0},
	},
}

// TestDeploy gives an account nothing but its role in docs/deploy, and expects that it can do what that is for and asks for nothing that
// it may not have.
func TestDeploy(t *testing.T) {
	p := ownPlane(t)
	folder, err := filepath.Abs(deployFolder)
	if err != nil {
		t.Fatal(err)
	}
	runSetup(t, p, "DEPLOY='"+folder+"'\n"+deployScene)
	t.Run("metrics", func(t *testing.T) { checkQueries(t, p) })
	t.Run("jobs", func(t *testing.T) { runCronJobs(t, p) })
	t.Run("dry runs only", func(t *testing.T) { wantDryRunsOnly(t, p) })
	for _, account := range []string{"reader", "prober", "sweeper", "remover"} {
		for _, use := range deployUses[account] {
			t.Run(account+" "+use.args, func(t *testing.T) {
				out := runAsAccount(t, p, account, use.code, nil, strings.Fields(use.args)...)
				wantWords(t, out, []string{use.want})
			})
		}
	}
	t.Run("custom resources", func(t *testing.T) { readCustomResources(t, p) })
	t.Run("without Secrets", func(t *testing.T) { readWithoutSecrets(t, p) })
}

// runAsAccount runs the plugin as a ServiceAccount of docs/deploy, and expects that no request is denied but lists of some types.
func runAsAccount(t *testing.T, p *plane.Plane, account string, code int, denied []string, args ...string) string {
	t.Helper()
	environment := append(p.Env(plane.Admin), "KUBECONFIG="+accountKubeconfig(t, p, account), "XDG_STATE_HOME="+t.TempDir())
	mark, err := p.Mark(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out, errOut, got := finalizers(t, environment, args...)
	if got != code {
		t.Errorf("as %s, %s ended with %d, not %d:\n%s%s", account, strings.Join(args, " "), got, code, errOut, out)
	}
	requests, err := p.Requests(t.Context(), mark)
	if err != nil {
		t.Fatal(err)
	}
	sent := 0
	for _, r := range requests {
		if r.User != "system:serviceaccount:kubectl-finalizers:"+account {
			continue
		}
		sent++
		path, _, _ := strings.Cut(r.URI, "?")
		if r.Code == 403 && !slices.Contains(denied, r.Verb+" "+path) {
			t.Errorf("%s may not %s %s", account, r.Verb, r.URI)
		}
	}
	if sent == 0 {
		t.Error("it sent no request")
	}
	t.Logf("%d requests", sent)
	return out + errOut
}

// accountKubeconfig is a kubeconfig with a token of a ServiceAccount.
func accountKubeconfig(t *testing.T, p *plane.Plane, account string) string {
	t.Helper()
	token, errOut, code := kubectl(t, p, plane.Admin, "create", "token", account, "-n", "kubectl-finalizers")
	if code != 0 {
		t.Fatal(errOut)
	}
	config, err := clientcmd.LoadFromFile(p.Kubeconfig(plane.Admin))
	if err != nil {
		t.Fatal(err)
	}
	config.AuthInfos = map[string]*api.AuthInfo{plane.Admin: {Token: strings.TrimSpace(token)}}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// runCronJobs runs the container of each CronJob of docs/deploy, as its account.
func runCronJobs(t *testing.T, p *plane.Plane) {
	codes := map[string]int{"cronjob-metrics.yaml": 0, "cronjob-report.yaml": 0, "cronjob-sweep.yaml": 0}
	files, err := filepath.Glob(filepath.Join(deployFolder, "cronjob-*.yaml"))
	if err != nil || len(files) != len(codes) {
		t.Fatalf("the CronJobs are %v: %v", files, err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		pod := readManifest(t, file, isCronJob).Spec.JobTemplate.Spec.Template.Spec
		container := pod.Containers[0]
		folder := t.TempDir()
		args := slices.Clone(container.Args)
		for _, mount := range container.VolumeMounts {
			for i := range args {
				args[i] = strings.Replace(args[i], mount.MountPath+"/", folder+"/", 1)
			}
		}
		out := runAsAccount(t, p, pod.ServiceAccountName, codes[name], nil, args...)
		switch name {
		case "cronjob-report.yaml":
			continue // what has only just been deleted is not in it
		case "cronjob-sweep.yaml":
			wantWords(t, out, []string{"2 of 2 objects are deleted"})
			wantSweepState(t, p)
			continue
		}
		written, err := os.ReadFile(filepath.Join(folder, "finalizers.prom"))
		if err != nil || !bytes.HasSuffix(written, []byte("# EOF\n")) {
			t.Errorf("%s writes %q: %v\n%s", name, written, err, out)
		}
	}
}

// wantSweepState expects that the sweep has written to its ConfigMap, and that its account may write to no other.
func wantSweepState(t *testing.T, p *plane.Plane) {
	t.Helper()
	data, errOut, code := kubectl(t, p, plane.Admin, "get", "configmap", "finalizers-sweep", "-n", "kubectl-finalizers", "-o", "jsonpath={.data}")
	if code != 0 || !strings.Contains(data, `\"selection\": \"namespaces\"`) {
		t.Errorf("the ConfigMap has %s%s", data, errOut)
	}
	for _, verb := range []string{"patch", "update", "create", "delete"} {
		if out, _, _ := kubectl(t, p, plane.Admin, "auth", "can-i", verb, "configmaps", "-n", "kubectl-finalizers", "--as", "system:serviceaccount:kubectl-finalizers:sweeper"); strings.TrimSpace(out) != "no" {
			t.Errorf("the account of the sweep may %s ConfigMaps: %s", verb, out)
		}
	}
}

func isCronJob(c batchv1.CronJob) bool { return c.Kind == "CronJob" }

// readManifest reads the document of a manifest that is wanted.
func readManifest[T any](t *testing.T, path string, wanted func(T) bool) T {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // it was only read
	for decoder := yaml.NewYAMLOrJSONDecoder(file, 4096); ; {
		var out T
		if err := decoder.Decode(&out); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if wanted(out) {
			return out
		}
	}
}

// wantDryRunsOnly expects that the account for dry runs cannot change anything.
func wantDryRunsOnly(t *testing.T, p *plane.Plane) {
	runSetup(t, p, "kubectl create configmap free -n deploy")
	environment := append(p.Env(plane.Admin), "KUBECONFIG="+accountKubeconfig(t, p, "prober"))
	patch := []string{"patch", "configmap", "free", "-n", "deploy", "--type=merge", "-p", `{"metadata":{"labels":{"changed":"yes"}}}`}
	eventually(t, func() error { // the API server learns of the policy from a watch
		_, errOut, code := execute(t, filepath.Join(p.Bin(), "kubectl"), environment, patch...)
		if code == 0 || !strings.Contains(errOut, "this account may send dry runs only") {
			return fmt.Errorf("it ended with %d: %s", code, errOut)
		}
		return nil
	})
	if _, errOut, code := execute(t, filepath.Join(p.Bin(), "kubectl"), environment, append(patch, "--dry-run=server")...); code != 0 {
		t.Errorf("the dry run ended with %d: %s", code, errOut)
	}
}

// readCustomResources adds a type, and expects that the commands of the page give the account the right to it.
func readCustomResources(t *testing.T, p *plane.Plane) {
	page, err := os.ReadFile(filepath.Join(deployFolder, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```\nkubectl create clusterrole")
	commands, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("the page has no such commands")
	}
	runSetup(t, p, `
		kubectl create -f - <<END
{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"crates.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"crates","kind":"Crate"},
"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}
END
		kubectl wait --for=condition=Established crd/crates.example.com --timeout=5m
		until kubectl get crates.example.com -A; do :; done
		kubectl create clusterrole`+commands+`
		until kubectl auth can-i list crates.example.com -A --as system:serviceaccount:kubectl-finalizers:reader; do :; done`)
	wantWords(t, runAsAccount(t, p, "reader", 0, nil, "list", "crates.example.com", "-A"), []string{"No matching stuck objects found in the cluster."})
}

// readWithoutSecrets takes the right to Secrets away: then they are a gap, and nothing else is.
func readWithoutSecrets(t *testing.T, p *plane.Plane) {
	runSetup(t, p, `
		kubectl delete clusterrole kubectl-finalizers-read-secrets
		while kubectl auth can-i get secrets -A --as system:serviceaccount:kubectl-finalizers:reader; do :; done`)
	out := runAsAccount(t, p, "reader", 0, []string{"list /api/v1/secrets"}, "list", "-A", "--probe=false", "-o", "openmetrics")
	wantWords(t, out, []string{"kubectl_finalizers_unread_sources 1.0"})
}
