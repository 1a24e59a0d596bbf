package e2e

import (
	"encoding/base64"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// readsScene is a namespace that a Secret and a ConfigMap hold, and one that nobody has deleted.
const readsScene = `
kubectl create namespace reads
kubectl create namespace reads-living
kubectl create configmap free -n reads-living
for kind in Secret ConfigMap; do
  printf '{"apiVersion":"v1","kind":"%s","metadata":{"name":"held","namespace":"reads","finalizers":["reads.example.com/hold"]}}' "$kind" |
    kubectl create -f -
done
kubectl delete namespace reads --wait=false
kubectl wait namespace/reads --for=condition=NamespaceFinalizersRemaining --timeout=5m
`

// requestsPerStuck is how many requests a list of the whole cluster may send for each thing that is stuck in it: stories on the
// same control plane have stuck many, each for another reason.
const requestsPerStuck = 20

// readers are commands, each with the number of requests that it may send beyond one for each type, and for each thing that is stuck
// where it looks for that in the whole cluster.
var readers = map[string]int{
	"list -A":                      200,
	"list -A --all -o json":        200,
	"list -n reads":                60,
	"list secrets,cm -n reads":     60,
	"explain ns/reads":             30,
	"explain ns/reads -o json":     30,
	"explain cm/held -n reads":     30,
	"version":                      1,
	"list nothing-of-the-sort":     0,
	"explain ns/none-of-the-ilk":   1,
	"preflight ns/reads-living":    200,
	"wait ns/reads --timeout=2s":   400,
	"health --for=3s":              3000,
	"snapshot -n reads -o ARCHIVE": 400,
}

// TestReads takes the API server's audit log for a witness that nothing is sent but reads, questions what one may do and dry runs,
// and not many of those.
func TestReads(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, readsScene)
	types, _, err := connect(t, p, "").Types(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	names, _, _ := kubectl(t, p, plane.Admin, "finalizers", "list", "-A", "-o", "name")
	stuckObjects := strings.Count(names, "\n")
	for args, beyond := range readers {
		t.Run(args, func(t *testing.T) {
			sent := requestsOf(t, p, strings.Fields(strings.ReplaceAll(args, "ARCHIVE", filepath.Join(t.TempDir(), "reads.tar.gz")))...)
			t.Logf("%d requests, %d types, %d stuck", len(sent), len(types), stuckObjects)
			most := len(types) + beyond
			if strings.HasPrefix(args, "list -A") {
				most += requestsPerStuck * stuckObjects
			}
			if len(sent) == 0 || len(sent) > most {
				t.Errorf("it sent %d requests, and may send %d", len(sent), most)
			}
			for _, request := range sent {
				checkRead(t, request)
			}
		})
	}
}

// TestListsEachTypeOnce looks for types that a list of the whole cluster reads more than once, a page after the other apart.
func TestListsEachTypeOnce(t *testing.T) {
	p := sharedPlane(t)
	times := map[string]int{}
	for _, request := range requestsOf(t, p, "list", "-A", "-o", "name") {
		if path, query, _ := strings.Cut(request.URI, "?"); request.Verb == "list" && !strings.Contains(query, "continue=") {
			times[path]++
		}
	}
	if len(times) == 0 {
		t.Error("it lists nothing")
	}
	for path, n := range times {
		if n > 1 {
			t.Errorf("%s is listed %d times", path, n)
		}
	}
}

// requestsOf are the requests that the plugin sends for a command line.
func requestsOf(t *testing.T, p *plane.Plane, args ...string) []plane.Request {
	t.Helper()
	mark, err := p.Mark(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	kubectl(t, p, plane.Admin, append([]string{"finalizers"}, args...)...)
	all, err := p.Requests(t.Context(), mark)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(r plane.Request) bool { return !strings.HasPrefix(r.UserAgent, "kubectl-finalizers/") })
}

func checkRead(t *testing.T, request plane.Request) {
	t.Helper()
	question := request.Verb == "create" && strings.HasPrefix(request.URI, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews")
	trial := (request.Verb == "patch" || request.Verb == "delete") && request.DryRun
	if !slices.Contains([]string{"get", "list", "watch"}, request.Verb) && !question && !trial {
		t.Errorf("it is more than a read: %s %s", request.Verb, request.URI)
	}
	address, err := url.Parse(request.URI)
	if err != nil {
		t.Fatal(err)
	}
	if request.Verb == "list" && address.Query().Get("limit") == "" {
		t.Errorf("a list without a limit: %s", request.URI)
	}
}

// secretData is the content of a Secret.
const secretData = "x marks the spot"

// TestSecretsStayWhereTheyAre listens in: what is asked of Secrets, even of one that is explained, is their metadata, and
// what is in them never leaves the API server.
func TestSecretsStayWhereTheyAre(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, `
		kubectl create namespace treasury
		printf '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"map","namespace":"treasury","finalizers":["reads.example.com/hold"]},"stringData":{"where":"%s"}}' "`+secretData+`" |
			kubectl create -f -
		kubectl -n treasury delete secret/map --wait=false`)
	for _, args := range []string{"list -A", "list -n treasury", "list secrets -n treasury", "list secret/map -n treasury", "explain secret/map -n treasury"} {
		t.Run(args, func(t *testing.T) {
			ear := startRecordingProxy(t, p, nil)
			out, errOut, code := finalizers(t, p.Env(plane.Admin), append(strings.Fields(args), "--server", ear.address)...)
			if code != 0 || !strings.Contains(out, "secret/map") {
				t.Errorf("it ended with %d and does not show the secret: %s%s", code, out, errOut)
			}
			for _, request := range ear.requestsTo("/secrets") {
				// Servers before 1.15 know no such answer; for them comes last what they do know.
				if accept := request.Header.Get("Accept"); !strings.Contains(strings.Split(accept, ",")[0], ";as=PartialObjectMetadata") {
					t.Errorf("%s asks for more than metadata: %s", request.URL, accept)
				}
			}
			if told := responsesWithSecretData(ear); len(told) > 0 {
				t.Errorf("the answers to %v hold what is in the secret", told)
			}
		})
	}
	t.Run("the ear can hear it", func(t *testing.T) {
		ear := startRecordingProxy(t, p, nil)
		kubectl(t, p, plane.Admin, "get", "secret/map", "-n", "treasury", "-o", "yaml", "--server", ear.address)
		if len(responsesWithSecretData(ear)) == 0 {
			t.Error("kubectl get was not told the content either")
		}
	})
}

// responsesWithSecretData are the paths whose answers hold the content of the Secret.
func responsesWithSecretData(e *recordingProxy) (paths []string) {
	for _, answer := range e.responses() {
		if strings.Contains(answer.body, secretData) || strings.Contains(answer.body, base64.StdEncoding.EncodeToString([]byte(secretData))) {
			paths = append(paths, answer.path)
		}
	}
	return paths
}
