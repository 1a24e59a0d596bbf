package health

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// endingCertificate is the warning for an APIService that is available, and whose caBundle
// expires soon or has expired. The certificate that its server serves is not known: that takes a
// call.
func (c *checker) endingCertificate(s cluster.APIService) (stuck.Problem, bool) {
	trust := backend.ReadCABundle(c.view, s.Spec.CABundle)
	left := trust.ValidUntil.Sub(c.view.Now())
	if s.Spec.Service == nil || s.Spec.InsecureSkipTLSVerify || len(s.Spec.CABundle) == 0 || left >= expiryWarning {
		return stuck.Problem{}, false
	}
	problem := stuck.Problem{
		State: stuck.Warning, Reason: "apiservice-certificate-ends", Subject: stuck.Culprit{Kind: "APIService", Name: s.Name},
		Message:  fmt.Sprintf("the caBundle of apiservice/%s expires in %s", s.Name, duration.HumanDuration(left)),
		Evidence: trust.Evidence,
		Impact:   []string{"after that its types cannot be read, and no namespace can be deleted"},
		Steps: []stuck.Step{{
			Action: stuck.ActionCheck, Description: "which certificate authority is in the caBundle? Renew it, and the certificate of the extension server",
			Command: stuck.Shellf("kubectl get apiservice %s -o jsonpath='{.spec.caBundle}' | base64 -d | openssl x509 -noout -subject -dates", s.Name),
		}},
	}
	if trust.ValidUntil.IsZero() {
		problem.Message = fmt.Sprintf("apiservice/%s is available, but no certificate in its caBundle is valid", s.Name)
		problem.Impact = []string{"open connections still work; the API server trusts no new one, and then its types cannot be read, and no namespace can be deleted"}
	}
	return problem, true
}
