package plane

import (
	"fmt"
	"os"
	"path/filepath"
)

// admissionFile is the configuration of the API server's admission plugins.
const admissionFile = "admission.yaml"

// writeStaticPolicies gives the API server policies that are no objects of its API, but come from a file
// (ManifestBasedAdmissionControlConfig).
func (p *Plane) writeStaticPolicies() error {
	content, err := os.ReadFile(p.options.StaticPolicies)
	if err != nil {
		return fmt.Errorf("reading the static policies: %w", err)
	}
	folder := p.file("static-policies")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("making the folder of static policies: %w", err)
	}
	if err := os.WriteFile(filepath.Join(folder, "policies.yaml"), content, 0o600); err != nil {
		return fmt.Errorf("writing the static policies: %w", err)
	}
	configuration := fmt.Sprintf(`apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
  - name: ValidatingAdmissionPolicy
    configuration:
      apiVersion: apiserver.config.k8s.io/v1
      kind: ValidatingAdmissionPolicyConfiguration
      staticManifestsDir: %s
`, folder)
	return os.WriteFile(p.file(admissionFile), []byte(configuration), 0o600)
}
