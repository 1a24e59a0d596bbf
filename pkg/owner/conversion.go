package owner

import "fmt"

// conversion looks behind the webhook that converts between the versions of
// the type, which its controller serves. It stands in the CRD, which can run to
// a megabyte: it is read only where nothing else has led anywhere.
func conversion(s *search) {
	t := s.owner.Object.Type
	if builtInType(s) || len(s.best()) > 0 || !s.see.CRDMetadata(t).Found() {
		return
	}
	crd := s.see.CRD(t.String())
	s.needs(crd.Found() || crd.Absent())
	if !crd.Found() {
		return
	}
	to := backend{what: fmt.Sprintf("the conversion webhook of %s", t), weight: fair}
	called := crd.Value.Spec.Conversion.Webhook.ClientConfig
	switch {
	case called.Service != nil:
		behind(s, *called.Service, to)
	case called.URL != "":
		s.other(Other{Says: "whatever answers at the address of " + to.what, Unseen: true})
	}
}
