package health

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// renewalGrace is how late a renewal, or the issue of a certificate, may be.
const renewalGrace = time.Hour

// certificate is what is read of a Certificate of cert-manager. Its Secret is never read.
type certificate struct {
	metav1.ObjectMeta `json:"metadata"`
	Status            struct {
		Conditions  []cluster.Condition `json:"conditions"`
		NotAfter    *metav1.Time        `json:"notAfter"`
		RenewalTime *metav1.Time        `json:"renewalTime"`
	} `json:"status"`
}

// certificateUser is an object with a caBundle, and the Certificate that cert-manager copies it
// from, empty where it does not.
type certificateUser struct{ ref, certificate string }

// webhookCertificateUsers are the configurations of webhooks, and the CRDs with a conversion
// webhook.
func webhookCertificateUsers(hooks []backend.Webhook, crds []cluster.CRD) []certificateUser {
	var users []certificateUser
	for _, configuration := range stuck.GroupBy(hooks, func(h backend.Webhook) string { return h.ConfigurationRef }) {
		users = append(users, certificateUser{configuration[0].ConfigurationRef, configuration[0].InjectCAFrom})
	}
	for _, crd := range crds {
		users = append(users, certificateUser{"customresourcedefinition/" + crd.Name, crd.Annotations[cluster.InjectCAAnnotation]})
	}
	return users
}

// certificateProblems are the warnings for Certificates whose CA is in a caBundle, by their
// status, and whether one could not be read.
func (c *checker) certificateProblems(users []certificateUser) (out []stuck.Problem, incomplete bool) {
	t, served := c.view.TypeForKind(schema.GroupKind{Group: "cert-manager.io", Kind: "Certificate"})
	if !served {
		return nil, false
	}
	for _, group := range stuck.GroupBy(users, func(u certificateUser) string { return u.certificate }) {
		namespace, name, ok := strings.Cut(group[0].certificate, "/")
		if !ok {
			continue
		}
		read := cluster.Read[certificate](c.view, t, namespace, name)
		incomplete = incomplete || !read.Found() && !read.Absent()
		fault, evidence := c.certificateFault(read)
		if fault == "" {
			continue
		}
		var refs []string
		for _, u := range group {
			refs = append(refs, u.ref)
		}
		ref := stuck.RefInNamespace("certificate", name, namespace)
		out = append(out, stuck.Problem{
			State: stuck.Warning, Reason: "serving-certificate", Subject: stuck.Culprit{Kind: "Certificate", Namespace: namespace, Name: name},
			Message: fmt.Sprintf("%s, whose CA is in the caBundle of %s, %s", ref, joinFirst(refs), fault),
			Evidence: append(evidence, "not read: the Secret of the Certificate, and the certificate that the server presents",
				fmt.Sprintf("%s of %s: %s/%s", cluster.InjectCAAnnotation, joinFirst(refs), namespace, name)),
			Impact: []string{"a server that presents an expired certificate, or one of another CA than the caBundle has, cannot be called"},
			Steps: []stuck.Step{{
				Action: stuck.ActionCheck, Description: fmt.Sprintf("why does cert-manager not renew %s?", ref),
				Command: stuck.Kubectlf(namespace, "describe certificates.cert-manager.io %s", name),
			}},
		})
	}
	return out, incomplete
}

// certificateFault is what is wrong with a Certificate, nothing where it could not be read. One that
// is short-lived ends soon at all times: what counts is that its renewal is late.
func (c *checker) certificateFault(read cluster.Answer[certificate]) (fault string, evidence []string) {
	if read.Absent() {
		return "does not exist", []string{"cert-manager cannot update the caBundle without the Certificate"}
	}
	if !read.Found() {
		return "", nil
	}
	now, status := c.view.Now(), read.Value.Status
	for _, condition := range status.Conditions {
		since := now.Sub(condition.LastTransitionTime.Time)
		if condition.Type == "Ready" && condition.Status != "True" && since > renewalGrace {
			fault = "is not ready"
			evidence = append(evidence, fmt.Sprintf("condition Ready has been %s for %s: %s: %s", condition.Status, duration.HumanDuration(since), condition.Reason, strings.Join(strings.Fields(condition.Message), " ")))
		}
	}
	if end := status.NotAfter; end != nil {
		late := status.RenewalTime != nil && now.Sub(status.RenewalTime.Time) > renewalGrace
		switch {
		case now.After(end.Time):
			fault = "expired " + duration.HumanDuration(now.Sub(end.Time)) + " ago"
		case late:
			fault = "expires in " + duration.HumanDuration(end.Sub(now)) + " and was not renewed"
		}
		if late {
			evidence = append(evidence, "status.renewalTime was "+status.RenewalTime.UTC().Format(time.RFC3339))
		}
		evidence = append(evidence, "status.notAfter is "+end.UTC().Format(time.RFC3339))
	}
	return fault, evidence
}
