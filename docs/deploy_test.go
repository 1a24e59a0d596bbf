package docs_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// TestRoleToReadIsTheOneOfDeploy holds that the ClusterRole of docs/safety.md has the rules of that in docs/deploy/read.yaml which a test
// uses on a control plane.
func TestRoleToReadIsTheOneOfDeploy(t *testing.T) {
	page, err := os.ReadFile("safety.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```yaml\napiVersion: rbac.authorization.k8s.io/v1\n")
	block, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("the page has no ClusterRole")
	}
	manifest, err := os.ReadFile("deploy/read.yaml")
	if err != nil {
		t.Fatal(err)
	}
	onPage, deployed := rulesOf(t, []byte(block), "kubectl-finalizers"), rulesOf(t, manifest, "kubectl-finalizers-read-kubernetes")
	if !reflect.DeepEqual(onPage, deployed) || len(onPage) < 3 {
		t.Errorf("docs/safety.md has the rules\n%v\nand docs/deploy/read.yaml has\n%v", onPage, deployed)
	}
}

// rulesOf are the rules of the ClusterRole with a name.
func rulesOf(t *testing.T, manifest []byte, name string) []rbacv1.PolicyRule {
	t.Helper()
	for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(manifest), 4096); ; {
		var role rbacv1.ClusterRole
		switch err := decoder.Decode(&role); {
		case errors.Is(err, io.EOF):
			t.Fatalf("there is no ClusterRole %s", name)
		case err != nil:
			t.Fatal(err)
		case role.Name == name:
			return role.Rules
		}
	}
}
