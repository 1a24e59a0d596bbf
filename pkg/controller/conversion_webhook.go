package controller

import "fmt"

// conversionWebhookClue looks behind the webhook that converts between the versions of
// the type, which its controller serves. It stands in the CRD, which can run to
// a megabyte: it is read only where nothing else has led anywhere.
func conversionWebhookClue(s *search) {
	t := s.controller.Object.Type
	if isBuiltInType(s) || len(s.bestCandidates()) > 0 || !s.view.CRDMetadata(t).Found() {
		return
	}
	crd := s.view.CRD(t.String())
	s.requireComplete(crd.Found() || crd.Absent())
	if !crd.Found() {
		return
	}
	target := calledService{description: fmt.Sprintf("the conversion webhook of %s", t), weight: weightFair}
	clientConfig := crd.Value.Spec.Conversion.Webhook.ClientConfig
	switch {
	case clientConfig.Service != nil:
		serviceClue(s, *clientConfig.Service, target)
	case clientConfig.URL != "":
		s.addOtherActor(OtherActor{Description: "the server at the URL of " + target.description, NotExaminable: true})
	}
}
